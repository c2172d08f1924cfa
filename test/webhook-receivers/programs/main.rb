# Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now.
require_relative "webhooks"

File.foreach("cases", chomp: true) do |line|
  secret, id, timestamp, signature, body, now = line.split("|", -1)
  puts from_service?(secret, id, timestamp, signature, body.unpack1("m0"), now.to_i) ? "accept" : "reject"
end
