module countersign.dev/signer

go 1.24
