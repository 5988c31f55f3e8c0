"""The data pipeline: SMF dumps and accounting data through Spark to findings, plans and reports."""
