# frozen_string_literal: true

$LOAD_PATH.unshift File.expand_path('../lib', __dir__)

require 'json'
require 'minitest/autorun'
require 'openssl'
require 'socket'
require 'tmpdir'
require 'countersign'
require 'countersign/faraday'
require 'countersign/net_http'

# The repository's conformance vectors.
module Vectors
  FOLDER = File.expand_path('../../../vectors/profile', __dir__)

  module_function

  def read(name)
    JSON.parse(File.read(File.join(FOLDER, "#{name}.json"), encoding: 'UTF-8'))
  end

  def cases(part)
    read(part).fetch('cases')
  end

  def body(example)
    body = example['request']['body']
    return if body.nil?

    body.key?('file') ? File.binread(File.join(FOLDER, body['file'])) : body['base64'].unpack1('m0')
  end

  KEYS = read('keys').fetch('keys')
  PRIVATE_KEY = KEYS['rsa-2048-a']['privateKeyPem']
  PUBLIC_KEY = KEYS['rsa-2048-a']['publicKeyPem']
  OTHER_PRIVATE_KEY = KEYS['rsa-2048-b']['privateKeyPem']
  OTHER_PUBLIC_KEY = KEYS['rsa-2048-b']['publicKeyPem']
end

# A local HTTP/1.1 server that keeps what was sent, byte for byte. The block answers; nil hangs up.
class WireServer
  Sent = Struct.new(:method, :target, :headers, :body) do # rubocop:disable Lint/StructNewOverride
    def [](name)
      values = headers.select { |key, _| key.casecmp?(name) }.map(&:last)
      raise "#{name} was sent #{values.length} times" if values.length > 1

      values.first
    end

    # The URL as a service sees it: its own origin, which Host names, and the raw target.
    def url
      target.start_with?('http://') ? target : "http://#{self['Host'].downcase}#{target}"
    end
  end
  Answer = Struct.new(:status, :headers, :body)

  def self.open(answer = nil, &block)
    server = new(answer)
    block.call(server)
    server
  ensure
    server&.close
  end

  def self.ok
    Answer.new(200, {}, 'ok')
  end

  def self.problem(status, code, **members)
    document = { type: "https://a.test/docs/errors##{code}", title: 'T', status: status, code: code }.merge(members)
    headers = { 'Content-Type' => 'application/problem+json' }
    headers['WWW-Authenticate'] = %(Signature error="#{code}") if status == 401
    Answer.new(status, headers, JSON.generate(document))
  end

  attr_reader :sent, :port
  attr_accessor :answer

  def initialize(answer)
    @answer = answer || ->(_) { WireServer.ok }
    @sent = []
    @server = TCPServer.new('127.0.0.1', 0)
    @port = @server.addr[1]
    @threads = [Thread.new { loop { serve(@server.accept) } }]
    @threads.first.report_on_exception = false
  end

  def origin
    "http://127.0.0.1:#{@port}"
  end

  def close
    @server.close
    @threads.each(&:kill).each { |thread| thread.join rescue nil } # rubocop:disable Style/RescueModifier
  end

  private

  def serve(connection)
    thread = Thread.new do
      nil while respond(connection)
    rescue SystemCallError, IOError
      nil
    ensure
      connection.close
    end
    @threads << thread
  end

  def respond(connection)
    sent = read(connection)
    return unless sent

    @sent << sent
    answer = @answer.call(sent)
    return unless answer

    body = sent.method == 'HEAD' ? '' : answer.body
    fields = { 'Content-Length' => body.bytesize }.merge(answer.headers).map { |name, value| "#{name}: #{value}\r\n" }
    connection.write("HTTP/1.1 #{answer.status} Status\r\n#{fields.join}\r\n#{body}")
  end

  def read(connection)
    line = connection.gets("\r\n")
    return unless line

    method, target, = line.chomp.split(' ', 3)
    headers = []
    until (field = connection.gets("\r\n").chomp).empty?
      headers << field.split(':', 2).map(&:strip)
    end
    sent = Sent.new(method, target, headers, nil)
    sent.body = sent['Transfer-Encoding'] ? read_chunks(connection) : connection.read(sent['Content-Length'].to_i)
    sent
  end

  def read_chunks(connection)
    body = +''
    while (size = connection.gets("\r\n").to_i(16)).positive?
      body << connection.read(size)
      connection.gets("\r\n")
    end
    connection.gets("\r\n")
    body
  end
end

# What the tests share.
class Test < Minitest::Test
  CLIENTS = %w[net-http faraday].freeze
  NOW = 1_775_505_117
  URL = 'https://api.example.test/v1/payments?ref=7'

  # Defines a test for each HTTP client.
  def self.test_each_client(name, &block)
    CLIENTS.each do |client|
      define_method("test_#{name.gsub(/\W+/, '_')}_with_#{client.tr('-', '_')}") { instance_exec(client, &block) }
    end
  end

  def setup
    Countersign::Seconds::PROCESS_MEMORY.clear
  end

  def signer(**options)
    options[:private_key] = Vectors::PRIVATE_KEY unless options.key?(:private_key_file) || options.key?(:private_key)
    Countersign::Signer.new(client_id: 'shop', **options)
  end

  def verifier(**options)
    Countersign::Verifier.new(client_id: 'shop', public_key: Vectors::PUBLIC_KEY, **options)
  end

  # The verdicts of one verifier: a code, or "accepted".
  def verdicts(requests, **options)
    one = verifier(**options)
    requests.map { |sent| one.verify(sent.method, sent.url, sent.headers, sent.body).code || 'accepted' }
  end

  def assert_accepted(count, requests, **options)
    assert_equal ['accepted'] * count, verdicts(requests, **options)
    # Equal reads share a signature, as services allow.
    others = requests.reject { |sent| %w[GET HEAD OPTIONS].include?(sent.method) }
    assert_equal others.length, others.map { |sent| sent['Signature'] }.uniq.length
  end

  # Sends one request through a client as its users would. Returns the status and the body.
  def send_through(client, signer, method, url, body: nil, headers: {})
    if client == 'faraday'
      connection = Faraday.new { |builder| build(builder, signer) }
      response = connection.run_request(method.downcase.to_sym, url, body, headers)
      [response.status, response.body]
    else
      uri, target = split(url)
      http = Countersign::NetHTTP.sign(Net::HTTP.new(uri.hostname, uri.port), signer)
      request = Net::HTTPGenericRequest.new(method, !body.nil?, method != 'HEAD', target, headers)
      body.respond_to?(:read) ? stream(request, body) : request.body = body
      response = http.request(request)
      [response.code.to_i, response.body.to_s]
    end
  end

  def build(builder, signer)
    builder.request :countersign, signer
    builder.adapter :net_http
  end

  def split(url)
    origin = url[%r{\Ahttp://[^/?#]*}]
    target = url.delete_prefix(origin)
    [URI(origin), target.start_with?('/') ? target : "/#{target}"]
  end

  def stream(request, body)
    request['Transfer-Encoding'] = 'chunked'
    request.body_stream = body
  end
end
