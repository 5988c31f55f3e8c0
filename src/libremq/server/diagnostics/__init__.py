"""What is written down for people when something happens or breaks: error log and first-failure reports."""
