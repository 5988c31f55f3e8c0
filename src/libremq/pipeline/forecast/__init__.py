"""When a limit will be reached: profile, growth and projection of each measured series, with an honest interval."""
