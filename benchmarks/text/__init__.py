"""What preprocessing brings and costs, languages, lexicons, adversarial texts."""
