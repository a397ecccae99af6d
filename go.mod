module fakepi.example

go 1.26
