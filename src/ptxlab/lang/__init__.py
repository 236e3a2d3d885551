"""The authoring language: one call is one PTX instruction; declarations do the error-prone arithmetic."""
