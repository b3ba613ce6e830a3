print("certification")
