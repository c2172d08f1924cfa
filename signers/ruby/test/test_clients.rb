# frozen_string_literal: true

require_relative 'test_helper'
if Faraday::VERSION.start_with?('1.')
  require 'faraday_middleware'
  FOLLOW_REDIRECTS = FaradayMiddleware::FollowRedirects
else
  require 'faraday/retry'
  require 'faraday/follow_redirects'
  FOLLOW_REDIRECTS = Faraday::FollowRedirects::Middleware
end

class ClientsTest < Test
  METHODS = %w[GET POST PUT PATCH DELETE OPTIONS HEAD].freeze
  BODIES = [nil, '', '{"amount": 1250}', (0..255).to_a.pack('C*') * 256].freeze

  def test_faraday_takes_the_options_of_a_signer
    WireServer.open do |server|
      connection = Faraday.new(server.origin) do |builder|
        builder.request :countersign, client_id: 'shop', private_key: Vectors::PRIVATE_KEY, raises_refusals: false
        builder.adapter :net_http
      end
      connection.get('/')
      assert_accepted 1, server.sent
      server.answer = ->(_) { WireServer.problem(401, 'signature_invalid') }
      assert_equal 401, connection.get('/').status
    end
  end

  def test_faraday_reads_the_environment_without_options
    WireServer.open do |server|
      connection = Faraday.new(server.origin) do |builder|
        builder.request :countersign
        builder.adapter :net_http
      end
      error = assert_raises(Countersign::SigningError) { connection.get('/') }
      assert_match(/COUNTERSIGN_CLIENT_ID/, error.message)
      with_environment('COUNTERSIGN_CLIENT_ID' => 'shop', 'COUNTERSIGN_PRIVATE_KEY' => Vectors::PRIVATE_KEY) do
        connection.get('/')
      end
      assert_accepted 1, server.sent
    end
  end

  def test_faraday_takes_a_signer_or_options
    error = assert_raises(ArgumentError) { Countersign::FaradayMiddleware.new(nil, signer, nonce: true) }
    assert_match(/not both/, error.message)
  end

  test_each_client('what arrives is what was signed') do |client|
    one = signer
    WireServer.open do |server|
      METHODS.product(BODIES).each do |method, body|
        # Faraday sends no body with these methods.
        body = nil if client == 'faraday' && %w[GET HEAD].include?(method)
        assert_equal 200, send_through(client, one, method, "#{server.origin}/v1/x?a=1", body: body).first
        assert_equal body.to_s, server.sent.last.body
      end
      assert_accepted METHODS.length * BODIES.length, server.sent
    end
  end

  ODD_TARGETS = %w[
    /a/%7e~%c3%a9?x=%7e&b=%5B1%5d /? / ?q=1 /x? //x//y /a/../b /%2e%2e/x /x?a=&b&=&a=+%20%2b /x?flag /x?b=2&a=1&b=1
    /a'(!)*$;,:@&= /x?a=b?c/d /a//b/. /a;b=c?d;e /%25%2F%3f%23 /x?list[]=1&list[]=2
  ].freeze

  test_each_client('odd urls are signed as they are sent') do |client|
    one = signer
    WireServer.open do |server|
      ODD_TARGETS.each { |target| send_through(client, one, 'GET', server.origin + target) }
      assert_accepted ODD_TARGETS.length, server.sent
    end
  end

  # What the table in the README says, for Faraday and Net::HTTP.
  {
    '/x?b=2&a=%7e' => ['/x?a=~&b=2', '/x?b=2&a=%7e'],
    '/%7e%c3%a9' => ['/%7e%c3%a9', '/%7e%c3%a9'],
    '/a/../b' => ['/a/../b', '/a/../b'],
    '/x?' => ['/x', '/x?']
  }.each do |target, expected|
    define_method("test_what_clients_do_to #{target}") do
      WireServer.open do |server|
        %w[faraday net-http].each { |client| send_through(client, signer, 'GET', server.origin + target) }
        assert_equal expected, server.sent.map(&:target)
      end
    end
  end

  def test_faraday_resolves_dots_in_a_path_that_it_joins
    WireServer.open do |server|
      Faraday.new("#{server.origin}/v1") { |builder| build(builder, signer) }.get('a/../b')
      assert_equal '/v1/b', server.sent.first.target
      assert_accepted 1, server.sent
    end
  end

  def test_faraday_drops_a_fragment_and_rejects_what_is_no_url
    WireServer.open do |server|
      send_through('faraday', signer, 'GET', "#{server.origin}/x#fragment")
      assert_equal '/x', server.sent.first.target
      assert_accepted 1, server.sent
      ['/é', '/a b', '/[x]'].each do |target|
        assert_raises(URI::InvalidURIError) { send_through('faraday', signer, 'GET', server.origin + target) }
      end
    end
  end

  test_each_client('random urls are signed as they are sent') do |client|
    one = signer
    WireServer.open do |server|
      60.times { |seed| send_through(client, one, 'GET', "#{server.origin}#{random_target(Random.new(seed))}") }
      assert_accepted 60, server.sent
    end
  end

  def test_net_http_sends_what_is_no_url_only_when_it_can_be_signed
    WireServer.open do |server|
      ['/é', '/a b', '/x#fragment'].each do |target|
        error = assert_raises(Countersign::SigningError) { send_through('net-http', signer, 'GET', server.origin + target) }
        assert_equal 'request_invalid', error.code
      end
      assert_empty server.sent
      send_through('net-http', signer, 'GET', "#{server.origin}/[x]|?[]")
      assert_accepted 1, server.sent
    end
  end

  def test_faraday_rejects_a_url_without_a_host
    %w[/v1/payments ftp://a.test/x].each do |url|
      error = assert_raises(Countersign::SigningError) { Faraday.new { |builder| build(builder, signer) }.get(url) }
      assert_equal 'request_invalid', error.code
    end
  end

  def test_net_http_rejects_a_method_in_lower_case
    error = assert_raises(Countersign::SigningError) { send_through('net-http', signer, 'get', 'http://127.0.0.1:1/') }
    assert_match(/upper case/, error.message)
  rescue Errno::ECONNREFUSED
    flunk 'It connected first.'
  end

  def test_net_http_rejects_a_form_that_is_encoded_late
    WireServer.open do |server|
      request = Net::HTTP::Post.new('/')
      request.set_form([%w[a b]], 'multipart/form-data')
      error = assert_raises(Countersign::SigningError) { net_http(server).request(request) }
      assert_match(/set_form/, error.message)
      assert_empty server.sent
    end
  end

  def test_the_methods_of_net_http
    WireServer.open do |server|
      http = net_http(server)
      http.start do
        http.get('/x?a=1', 'X-One' => '1')
        http.post('/', 'a=1')
        http.send_request('PUT', '/', 'body')
        http.request(Net::HTTP::Post.new(URI("#{server.origin}/form")).tap { |post| post.set_form_data('a' => 'b c') })
        http.get('/block') { |part| assert_equal 'ok', part }
        http.request_get('/streamed') { |response| assert_equal 'ok', response.read_body }
      end
      assert_accepted 6, server.sent
    end
  end

  test_each_client('the host is signed in lower case') do |client|
    WireServer.open do |server|
      send_through(client, signer, 'GET', "http://LOCALHOST:#{server.port}/")
      send_through(client, signer, 'GET', "#{server.origin}/x", headers: { 'Host' => 'API.example.test:80' })
      first, second = server.sent
      assert_accepted 1, [first]
      assert_predicate verifier.verify('GET', 'http://api.example.test/x', second.headers), :ok?
    end
  end

  test_each_client('streams are buffered') do |client|
    WireServer.open do |server|
      ['one two', ''].each { |text| send_through(client, signer, 'POST', "#{server.origin}/", body: StringIO.new(text)) }
      assert_equal ['one two', ''], server.sent.map(&:body)
      assert_accepted 2, server.sent
    end
  end

  test_each_client('a body above the limit is not sent') do |client|
    WireServer.open do |server|
      [-> { '12345' }, -> { StringIO.new('12345') }].each do |body|
        error = assert_raises(Countersign::SigningError) do
          send_through(client, signer(body_bytes_max: 4), 'POST', "#{server.origin}/", body: body.call)
        end
        assert_equal 'body_too_large', error.code
        assert_empty server.sent
      end
      send_through(client, signer(body_bytes_max: 5), 'POST', "#{server.origin}/", body: StringIO.new('12345'))
      assert_accepted 1, server.sent
    end
  end

  test_each_client('fields of the callers are replaced') do |client|
    stale = Countersign::SIGNATURE_HEADERS.to_h { |name| [name.downcase, 'stale'] }
    WireServer.open do |server|
      send_through(client, signer, 'POST', "#{server.origin}/", body: 'x', headers: stale)
      send_through(client, signer, 'GET', "#{server.origin}/", headers: stale)
      assert_accepted 2, server.sent
      assert_nil server.sent[1]['Content-Digest']
    end
  end

  test_each_client('equal requests at once have different signatures') do |client|
    one = signer
    WireServer.open do |server|
      threads = Array.new(5) do
        Thread.new { 4.times { send_through(client, one, 'POST', "#{server.origin}/v1/x", body: 'same') } }
      end
      threads.each(&:join)
      assert_accepted 20, server.sent
    end
  end

  test_each_client('equal reads are accepted everywhere') do |client|
    [false, true].product(%w[GET HEAD]).each do |strict, method|
      one = signer
      service = verifier
      used = {}
      answer = lambda do |sent|
        replayed = strict && used[sent['Signature']]
        used[sent['Signature']] = true
        code = replayed ? 'signature_replayed' : service.verify(sent.method, sent.url, sent.headers, sent.body).code
        code ? WireServer.problem(401, code) : WireServer.ok
      end
      WireServer.open(answer) do |server|
        8.times { assert_equal 200, send_through(client, one, method, "#{server.origin}/equal").first }
      end
    end
  end

  # Retries and redirects

  def test_net_http_signs_its_own_retries
    WireServer.open do |server|
      server.answer = ->(_) { server.sent.length == 1 ? nil : WireServer.ok }
      net_http(server).start { |http| assert_equal '200', http.send_request('PUT', '/', 'x').code }
      assert_accepted 2, server.sent
    end
  end

  def test_net_http_through_a_proxy
    WireServer.open do |server|
      http = Net::HTTP.new('api.example.test', 80, '127.0.0.1', server.port)
      Countersign::NetHTTP.sign(http, signer).post('/x?a=1', 'x')
      assert_equal 'http://api.example.test/x?a=1', server.sent.first.target.sub(':80/', '/')
      service = verifier
      assert_predicate service.verify('POST', 'http://api.example.test/x?a=1', server.sent.first.headers, 'x'), :ok?
    end
  end

  def test_faraday_with_retries
    WireServer.open do |server|
      busy = WireServer::Answer.new(503, {}, '')
      server.answer = ->(_) { server.sent.length <= 2 ? busy : WireServer.ok }
      connection = Faraday.new(server.origin) do |builder|
        builder.request :retry, max: 5, interval: 0, methods: [], retry_statuses: [503], retry_if: ->(*) { true }
        build(builder, signer)
      end
      assert_equal 200, connection.post('/', 'x', 'Idempotency-Key' => 'one').status
      assert_equal %w[x x x], server.sent.map(&:body)
      assert_accepted 3, server.sent
    end
  end

  {
    'lost' => nil,
    'status 503' => WireServer::Answer.new(503, {}, ''),
    'lost behind the gateway' => WireServer.problem(504, 'upstream_timeout'),
    'replayed' => WireServer.problem(401, 'signature_replayed')
  }.each do |name, answer|
    define_method("test_faraday_signs_no_repeat_that_the_api_may_have_carried_out_#{name.tr(' ', '_')}") do
      WireServer.open(->(_) { answer }) do |server|
        %i[post patch].each_with_index do |method, index|
          error = assert_raises(Countersign::RepeatNotSigned) { retrying(server).run_request(method, '/', 'x', {}) }
          assert_equal 'repeat_not_signed', error.code
          assert_match(/\AThis #{method.upcase} was sent once already/, error.message)
          assert_equal index + 1, server.sent.length
        end
      end
    end
  end

  {
    'with_a_key' => [:post, nil, { 'Idempotency-Key' => 'one' }, {}],
    'with_a_key_of_ours' => [:post, nil, {}, { idempotency_keys: true }],
    'after_a_refusal' => [:post, WireServer.problem(503, 'guard_full'), {}, {}],
    'of_an_idempotent_method' => [:put, nil, {}, {}]
  }.each do |name, (method, answer, headers, options)|
    define_method("test_faraday_signs_a_repeat_#{name}") do
      WireServer.open do |server|
        server.answer = ->(_) { server.sent.length == 1 ? answer : WireServer.ok }
        assert_equal 200, retrying(server, **options).run_request(method, '/', 'x', headers).status
        assert_accepted 2, server.sent
        keys = server.sent.map { |sent| sent['Idempotency-Key'].to_s }
        assert_equal 1, keys.uniq.length
        assert_equal({ 'with_a_key' => 3, 'with_a_key_of_ours' => 36 }.fetch(name, 0), keys.first.length)
      end
    end
  end

  [%w[one two], ['', 'two'], ['one', '']].each do |first, second|
    define_method("test_faraday_signs_no_repeat_with_another_key_#{first}_#{second}") do
      rekey = Class.new(Faraday::Middleware) do
        define_method(:call) do |env|
          [first, second].map { |key| @app.call(env.tap { env.request_headers['Idempotency-Key'] = key }) }.last
        end
      end
      WireServer.open(->(_) { WireServer::Answer.new(503, {}, '') }) do |server|
        connection = Faraday.new(server.origin) do |builder|
          builder.use rekey
          build(builder, signer)
        end
        assert_raises(Countersign::RepeatNotSigned) { connection.post('/', 'x') }
        assert_equal 1, server.sent.length
      end
    end
  end

  # Sends a POST, a GET that follows its redirect, and the POST again.
  class Returning < Faraday::Middleware
    def call(env)
      url = env.url
      @app.call(env)
      @app.call(env.tap { env.merge!(method: :get, url: URI("#{url}/done")) })
    rescue Countersign::RefusedError
      @app.call(env.tap { env.merge!(method: :post, url: url, request_body: 'x') })
    end
  end

  [302, 303, 307].each do |status|
    define_method("test_faraday_signs_no_payment_again_after_a_redirect_#{status}") do
      WireServer.open do |server|
        server.answer = lambda do |sent|
          next WireServer.problem(401, 'rate_limited') if sent.method == 'GET'

          WireServer::Answer.new(status, { 'Location' => '/done' }, '')
        end
        connection = Faraday.new(server.origin) do |builder|
          builder.use Returning
          build(builder, signer)
        end
        assert_raises(Countersign::RepeatNotSigned) { connection.post('/pay', 'x') }
        assert_equal %w[POST GET], server.sent.map(&:method)
      end
    end
  end

  def test_a_refusal_clears_only_the_attempt_that_it_answers
    attempts = Countersign::Attempts.new
    refusal = Countersign::RefusedError.read(401, 'application/problem+json', WireServer.problem(401, 'rate_limited').body)
    2.times { attempts.start('POST', 'https://a.test/', 'one') }
    attempts.answered('POST', 'https://a.test/', refusal)
    assert_raises(Countersign::RepeatNotSigned) { attempts.start('POST', 'https://a.test/', 'two') }
    attempts.start('POST', 'https://a.test/', 'one')
  end

  def test_net_http_gives_each_call_of_a_request_a_key_of_its_own
    WireServer.open do |server|
      request = Net::HTTP::Post.new('/').tap { |post| post.body = 'x' }
      2.times { net_http(server, idempotency_keys: true).request(request) }
      keys = server.sent.map { |sent| sent['Idempotency-Key'] }
      assert_equal 2, keys.compact.uniq.length
      request['Idempotency-Key'] = 'one'
      net_http(server, idempotency_keys: true).request(request)
      assert_equal 'one', server.sent.last['Idempotency-Key']
    end
  end

  def test_faraday_signs_a_repeat_of_what_was_not_sent
    server = WireServer.new(nil)
    server.close
    assert_raises(Faraday::ConnectionFailed) { retrying(server).post('/', 'x') }
  end

  def test_net_http_signs_no_repeat_that_the_api_may_have_carried_out
    Net::HTTP::IDEMPOTENT_METHODS_ << 'POST'
    WireServer.open(->(_) {}) do |server|
      assert_raises(Countersign::RepeatNotSigned) { net_http(server).start { |http| http.post('/', 'x') } }
      assert_equal 1, server.sent.length
    end
  ensure
    Net::HTTP::IDEMPOTENT_METHODS_.delete('POST')
  end

  test_each_client('each call gets an idempotency key if asked') do |client|
    WireServer.open do |server|
      2.times { send_through(client, signer(idempotency_keys: true), 'POST', "#{server.origin}/", body: 'x') }
      send_through(client, signer(idempotency_keys: true), 'PUT', "#{server.origin}/", body: 'x')
      keys = server.sent.map { |sent| sent['Idempotency-Key'] }
      assert_equal 3, keys.uniq.length
      assert_nil keys.last
    end
  end

  test_each_client('a replay says that the first request may have been accepted') do |client|
    WireServer.open(->(_) { WireServer.problem(401, 'signature_replayed') }) do |server|
      error = assert_raises(Countersign::RefusedError) { send_through(client, signer, 'POST', "#{server.origin}/", body: 'x') }
      assert_match(/may have been accepted: look it up/, error.message)
    end
  end

  [[301, ''], [302, ''], [303, ''], [307, 'x'], [308, 'x']].each do |status, body|
    define_method("test_faraday_follows_#{status}_to_the_same_origin") do
      WireServer.open do |server|
        server.answer = ->(sent) { sent.target == '/first' ? redirect(status, '/next?a=%c3%a9') : WireServer.ok }
        assert_equal 200, following(server).post('/first', 'x').status
        assert_equal ['x', body], server.sent.map(&:body)
        assert_accepted 2, server.sent
      end
    end
  end

  def test_no_signature_reaches_another_origin
    WireServer.open do |other|
      WireServer.open do |server|
        server.answer = ->(_) { redirect(307, "#{other.origin}/elsewhere") }
        refusal = WireServer.problem(401, 'signature_missing')
        other.answer = ->(sent) { sent.target == '/elsewhere' ? redirect(307, '/again') : refusal }
        assert_equal 401, following(server).post('/', 'x').status
        assert_accepted 1, server.sent
        assert_equal %w[/elsewhere /again], other.sent.map(&:target)
        Countersign::SIGNATURE_HEADERS.product(other.sent).each { |name, sent| assert_nil sent[name] }
      end
    end
  end

  test_each_client('a redirect that is not followed is a response') do |client|
    WireServer.open(->(_) { redirect(307, '/next') }) do |server|
      assert_equal 307, send_through(client, signer, 'GET', "#{server.origin}/").first
    end
  end

  # Clock and refusals

  test_each_client('the clock is corrected once') do |client|
    %w[created_expired created_in_future date_mismatch].product([-7200, 80_000]).each do |code, offset|
      one = signer
      WireServer.open(service_with_clock(offset, code)) do |server|
        2.times { assert_equal 200, send_through(client, one, 'POST', "#{server.origin}/", body: 'x').first }
        assert_equal %w[x x x], server.sent.map(&:body)
        assert_accepted 2, server.sent.drop(1), now: -> { Time.now.to_i + offset }
      end
    end
  end

  test_each_client('the clock is corrected by the headers of a head') do |client|
    refusal = WireServer.problem(401, 'created_expired')
    refusal.headers['Date'] = (Time.now + 7200).httpdate
    WireServer.open do |server|
      server.answer = ->(_) { server.sent.length == 1 ? refusal : WireServer.ok }
      assert_equal 200, send_through(client, signer, 'HEAD', "#{server.origin}/").first
      assert_accepted 1, server.sent.drop(1), now: -> { Time.now.to_i + 7200 }
    end
  end

  test_each_client('a head of the api is passed through') do |client|
    [{}, { 'WWW-Authenticate' => 'Signature error="order_shipped"' }].each do |headers|
      WireServer.open(->(_) { WireServer::Answer.new(401, PROBLEM.merge(headers), '') }) do |server|
        assert_equal 401, send_through(client, signer, 'HEAD', "#{server.origin}/").first
        assert_equal 1, server.sent.length
      end
    end
  end

  test_each_client('no problem of the api changes the clock') do |client|
    one = signer
    refusal = WireServer.problem(401, 'created_expired', type: 'https://shop.example/problems#created_expired',
                                                         serverTime: (Time.now.utc + 7200).iso8601(3))
    WireServer.open(->(_) { refusal }) do |server|
      assert_equal 401, send_through(client, one, 'POST', "#{server.origin}/", body: 'x').first
      assert_equal 1, server.sent.length
      server.answer = ->(_) { WireServer.ok }
      send_through(client, one, 'POST', "#{server.origin}/2", body: 'x')
      assert_accepted 2, server.sent
    end
  end

  test_each_client('the clock is not corrected forever') do |client|
    refusal = WireServer.problem(401, 'created_expired', serverTime: (Time.now.utc + 7200).iso8601(3))
    WireServer.open(->(_) { refusal }) do |server|
      assert_raises(Countersign::RefusedError) { send_through(client, signer, 'GET', "#{server.origin}/") }
      assert_equal 2, server.sent.length
    end
  end

  test_each_client('no other clock is taken over') do |client|
    {
      (Time.now.utc + 86_460).iso8601(3) => 'created_expired', (Time.now.utc - 86_460).iso8601(3) => 'created_expired',
      'yesterday' => 'created_expired', nil => 'created_expired', (Time.now.utc + 100).iso8601(3) => 'date_invalid'
    }.each do |time, code|
      one = signer
      WireServer.open(->(_) { WireServer.problem(401, code, serverTime: time) }) do |server|
        assert_raises(Countersign::RefusedError) { send_through(client, one, 'GET', "#{server.origin}/") }
        server.answer = ->(_) { WireServer.ok }
        send_through(client, one, 'GET', "#{server.origin}/2")
        assert_accepted 2, server.sent
      end
    end
  end

  test_each_client('a refusal is an error with all that is known') do |client|
    refusal = WireServer.problem(403, 'network_not_allowed', detail: 'Add it.', reason: 'not on the whitelist',
                                                             requestId: 'request_1', serverTime: '2026-11-21T00:01:58.000Z')
    WireServer.open(->(_) { refusal }) do |server|
      error = assert_raises(Countersign::RefusedError) { send_through(client, signer, 'GET', "#{server.origin}/") }
      assert_equal [403, 'network_not_allowed', 'T', 'Add it.', 'not on the whitelist', 'request_1'],
                   [error.status, error.code, error.title, error.detail, error.reason, error.request_id]
      assert_equal Time.utc(2026, 11, 21, 0, 1, 58), error.server_time
      assert_equal 'https://a.test/docs/errors#network_not_allowed', error.type
      assert error.response
      assert_equal 'network_not_allowed: T. not on the whitelist. Add it. (request_1)', error.message
    end
  end

  test_each_client('refusals as responses') do |client|
    WireServer.open(->(_) { WireServer.problem(401, 'signature_invalid') }) do |server|
      status, body = send_through(client, signer(raises_refusals: false), 'GET', "#{server.origin}/")
      assert_equal 401, status
      assert_includes body, 'signature_invalid'
    end
  end

  PROBLEM = { 'Content-Type' => 'application/problem+json' }.freeze
  PASSED_THROUGH = [
    WireServer.problem(409, 'order_shipped'),
    WireServer::Answer.new(401, { 'Content-Type' => 'application/json' }, WireServer.problem(401, 'signature_invalid').body),
    WireServer::Answer.new(403, PROBLEM, '{"code": "client_disabled"}'),
    WireServer::Answer.new(403, PROBLEM, '{"code": "client_disabled", "type": "about:blank"}'),
    WireServer::Answer.new(403, PROBLEM, '{"code": "client_disabled", "type": "https://a.test/problems/client_disabled"}'),
    WireServer.problem(429, 'rate_limited'),
    WireServer.problem(503, 'guard_full'),
    WireServer::Answer.new(400, PROBLEM, '["code"]'),
    WireServer::Answer.new(400, PROBLEM, '{"code": ["x"]}'),
    WireServer::Answer.new(400, PROBLEM, '{'),
    WireServer::Answer.new(400, PROBLEM, ''),
    WireServer::Answer.new(200, PROBLEM, WireServer.problem(401, 'signature_invalid').body),
    WireServer::Answer.new(500, {}, 'oops')
  ].freeze

  test_each_client('answers of the api are passed through') do |client|
    PASSED_THROUGH.each do |answer|
      WireServer.open(->(_) { answer }) do |server|
        assert_equal [answer.status, answer.body], send_through(client, signer, 'GET', "#{server.origin}/")
        assert_equal 1, server.sent.length
      end
    end
  end

  def test_net_http_gives_a_block_only_the_responses_of_the_api
    WireServer.open(service_with_clock(7200, 'created_expired')) do |server|
      codes = []
      net_http(server).request_get('/') { |response| codes << response.code }
      assert_equal %w[200], codes
    end
  end

  def test_faraday_with_responses_that_were_parsed
    WireServer.open(service_with_clock(7200, 'created_expired')) do |server|
      connection = Faraday.new(server.origin) do |builder|
        builder.request :countersign, signer
        builder.response :json, content_type: /json/
        builder.adapter :net_http
      end
      assert_equal 200, connection.get('/').status
    end
  end

  private

  def with_environment(variables)
    variables.each { |name, value| ENV[name] = value }
    yield
  ensure
    variables.each_key { |name| ENV.delete(name) }
  end

  def random_target(random)
    parts = 'a'.upto('z').to_a + %w[/ ~ - . _ ! $ & ' ( ) * + , ; = : @ %7e %7E %2f %C3%a9 %20 %5b]
    some = -> { Array.new(random.rand(12)) { parts.sample(random: random) }.join }
    path = "/x#{some.call}"
    [path, "#{path}?", "#{path}?#{some.call}", "#{path}?#{some.call}=#{some.call}"].sample(random: random)
  end

  def net_http(server, **options)
    Countersign::NetHTTP.sign(Net::HTTP.new('127.0.0.1', server.port), signer(**options))
  end

  # Repeats whatever fails.
  def retrying(server, **options)
    Faraday.new(server.origin) do |builder|
      builder.request :retry, max: 3, interval: 0, methods: [], retry_statuses: [503, 504, 401], retry_if: ->(*) { true },
                              exceptions: [Faraday::ConnectionFailed, 'Faraday::RetriableResponse']
      build(builder, signer(raises_refusals: false, **options))
    end
  end

  def redirect(status, location)
    WireServer::Answer.new(status, { 'Location' => location }, '')
  end

  def following(server)
    Faraday.new(server.origin) do |builder|
      builder.use FOLLOW_REDIRECTS
      build(builder, signer)
    end
  end

  def service_with_clock(offset, code)
    lambda do |sent|
      now = Time.now.utc + offset
      created = sent['Signature-Input'][/;created=(\d+)/, 1].to_i
      next WireServer.ok if (created - now.to_i).abs < 50

      WireServer.problem(401, code, serverTime: now.iso8601(3))
    end
  end
end
