# frozen_string_literal: true

# Sends a signed payment: ruby first_request.rb https://api.example.com/v1/payments

require 'countersign'
require 'countersign/faraday'
require 'json'

signer = Countersign::Signer.new(client_id: ENV.fetch('CLIENT_ID'), private_key_file: 'private.pem')
connection = Faraday.new(headers: { 'Content-Type' => 'application/json' }) do |builder|
  builder.request :countersign, signer
  builder.adapter :net_http
end

begin
  payment = { amount: 1250, currency: 'EUR', reference: 'INV-7' }
  response = connection.post(ARGV.fetch(0), JSON.generate(payment))
  puts response.status, response.body
rescue Countersign::RefusalError => e
  abort e.message # its code, what is wrong, and what to do
end
