"""What the source publishes: its figures, what the models must be given for them, and the page of both."""
