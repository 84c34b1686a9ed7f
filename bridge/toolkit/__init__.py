"""The tool system: Tool, ToolProvider, ToolRegistry and the Pipeline every call passes. It knows no concrete tool."""
