// The system's SQLite.
#include <sqlite3.h>
