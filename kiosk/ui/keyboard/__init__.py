"""The on-screen keyboard: keys, pinyin input and the sheet that holds them."""
