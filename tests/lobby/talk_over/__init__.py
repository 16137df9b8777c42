"""Short trials of turn-taking in one kiosk that hears itself; the long ones are commands of the lobby."""
