// Subscribes with Debian's varlink-go and prints each reply: watch ADDRESS METHOD PARAMETERS.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/varlink/go/varlink"
)

func main() {
	background := context.Background()
	connection, err := varlink.NewConnection(background, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	receive, err := connection.Send(
		background, os.Args[2], json.RawMessage(os.Args[3]), varlink.More)
	for err == nil {
		var reply json.RawMessage
		var flags uint64
		if flags, err = receive(background, &reply); err == nil {
			fmt.Println(string(reply))
			if flags&varlink.Continues == 0 {
				return
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
