print("bearingd")
