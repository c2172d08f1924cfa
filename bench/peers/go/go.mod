module countersign.example/bench/go

go 1.24
