# frozen_string_literal: true

# Sends a signed request and prints the response.

require 'countersign'
require 'countersign/faraday'
require 'json'

BASE_URL = ENV.fetch('COUNTERSIGN_BASE_URL', 'http://127.0.0.1:8421')
CLIENT_ID = 'client_…'
PRIVATE_KEY_FILE = 'private.pem'

signer = Countersign::Signer.new(client_id: CLIENT_ID, private_key_file: PRIVATE_KEY_FILE)
connection = Faraday.new(BASE_URL, headers: { 'Content-Type' => 'application/json' }) do |builder|
  builder.request :countersign, signer
  builder.adapter :net_http
end

begin
  response = connection.post('/v1/signature-test', JSON.generate(hello: 'from Ruby'))
  puts response.status, response.body
rescue Countersign::RefusedError => e
  abort e.message # its code, what is wrong, and what to do
end
