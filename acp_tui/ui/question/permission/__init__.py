"""The panel of a permission request: may the agent do this?"""
