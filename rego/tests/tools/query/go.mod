module query

go 1.26.0
