module ams.internal/docs

go 1.26.8
