"""Reading DebateBench: its files, the workbook of results, and the debates."""
