"""Questions to the person: may the agent do this?"""
