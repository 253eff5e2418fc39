"""The Streamlit pages, and what they ask of published versions. Computes no metric."""
