"""Questions an analyst asks, as data, and how they are answered from tables, rules, models and facts of the site."""
