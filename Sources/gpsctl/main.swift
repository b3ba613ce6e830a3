print("gpsctl")
