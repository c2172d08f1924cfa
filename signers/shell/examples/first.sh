#!/bin/sh
# Sends a signed payment: ./first.sh https://api.example.com/v1/payments
set -eu

export CLIENT_ID PRIVATE_KEY_FILE=private.pem

printf '{"amount":1250,"currency":"EUR","reference":"INV-7"}' \
  | ./countersign.sh -H 'Idempotency-Key: INV-7' POST "$1" -
