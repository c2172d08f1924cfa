# frozen_string_literal: true

# Sends requests through each HTTP client, for the tests against a running service.
#
# Reads one JSON object per line and answers with one, in any order:
#
#   {"id": 1, "client": "faraday", "method": "POST", "url": "http://127.0.0.1:3000/v1/payments",
#    "headers": [["Content-Type", "application/json"]], "body": "<Base64>"}
#   {"id": 1, "status": 201, "code": null, "body": "<Base64>"}
#
# "isStream": true sends the body without its length, and "timeoutMs" is when the client gives up.
#
# A request that is rejected before it is sent is answered with a code: {"id": 1, "error": "request_invalid", "message": "…"}.
# CLIENT_ID and PRIVATE_KEY_FILE say who signs, WORKERS how many threads send.

$LOAD_PATH.unshift File.expand_path('lib', __dir__)

require 'json'
require 'countersign'
require 'countersign/faraday'
require 'countersign/net_http'

TIMEOUT_SECONDS = 60
SIGNER = Countersign::Signer.new(client_id: ENV.fetch('CLIENT_ID'), private_key_file: ENV.fetch('PRIVATE_KEY_FILE'))
OUTPUT = Mutex.new

def write(line)
  OUTPUT.synchronize do
    $stdout.puts(JSON.generate(line))
    $stdout.flush
  end
end

# Keeps one connection for each thread and origin: a Net::HTTP object is not safe in several threads.
def net_http(uri)
  connections = Thread.current[:connections] ||= {}
  connections[[uri.scheme, uri.host, uri.port]] ||= begin
    http = Net::HTTP.new(uri.hostname, uri.port, nil)
    http.use_ssl = uri.scheme == 'https'
    http.read_timeout = TIMEOUT_SECONDS
    Countersign::NetHTTP.sign(http, SIGNER).start
  end
end

def timeout_seconds(order)
  order.fetch('timeoutMs', TIMEOUT_SECONDS * 1000) / 1000.0
end

# Returns an IO whose length nobody knows.
def stream_of(body)
  reader, writer = IO.pipe(binmode: true)
  Thread.new do
    writer.write(body)
    writer.close
  end
  reader
end

def give_body(request, order, body)
  return request.body = body unless order['isStream']

  request.body_stream = stream_of(body)
  request['Transfer-Encoding'] = 'chunked'
end

def send_by_net_http(order, body)
  origin = order['url'][%r{\Ahttps?://[^/?#]*}]
  target = order['url'].delete_prefix(origin)
  target = "/#{target}" unless target.start_with?('/')
  request = Net::HTTPGenericRequest.new(order['method'], !body.nil?, order['method'] != 'HEAD', target, order['headers'].to_h)
  give_body(request, order, body)
  connection = net_http(URI(origin))
  connection.read_timeout = timeout_seconds(order)
  response = connection.request(request)
  [response.code.to_i, response.body]
end

FARADAY = Faraday.new(proxy: nil, request: { timeout: TIMEOUT_SECONDS }) do |builder|
  builder.request :countersign, SIGNER
  builder.adapter :net_http
end

def send_by_faraday(order, body)
  content = order['isStream'] ? stream_of(body) : body
  response = FARADAY.run_request(order['method'].downcase.to_sym, order['url'], content, order['headers'].to_h) do |request|
    request.options.timeout = timeout_seconds(order)
  end
  [response.status, response.body]
end

SENDERS = { 'net-http' => method(:send_by_net_http), 'faraday' => method(:send_by_faraday) }.freeze

def answer(order)
  body = order['body']&.unpack1('m0')
  status, received = SENDERS.fetch(order['client']).call(order, body)
  { id: order['id'], status: status, code: nil, body: [received.to_s].pack('m0') }
rescue Countersign::RefusalError => e
  { id: order['id'], status: e.status, code: e.code, body: [JSON.generate(e.problem)].pack('m0') }
rescue Countersign::SigningError => e
  { id: order['id'], error: e.code, message: e.message }
rescue StandardError => e
  { id: order['id'], error: e.class.name, message: e.message }
end

write(clients: SENDERS.keys, knows: %w[isStream timeoutMs])
orders = SizedQueue.new(100)
workers = Array.new(Integer(ENV.fetch('WORKERS', '4'))) do
  Thread.new do
    while (order = orders.pop)
      write(answer(order))
    end
  end
end
$stdin.each_line { |line| orders << JSON.parse(line) }
orders.close
workers.each(&:join)
