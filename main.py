"""The kiosk's command line; everything is in kiosk.cli."""

from kiosk.cli import main

if __name__ == "__main__":
    main()
