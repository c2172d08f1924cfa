# Sends planned requests with Ruby's HTTP clients. One JSON document per line: a job in, what its author holds out, the
# headers in, the outcome out.
require 'base64'
require 'cgi'
require 'erb'
require 'json'
require 'net/http'
require 'uri'

$stdout.sync = true
$VERBOSE = nil

def optional(name)
  require name
  true
rescue LoadError
  false
end

def as_hash(query)
  query.each_with_object({}) do |(name, value), hash|
    hash[name] = hash.key?(name) ? [*hash[name], value] : value
  end
end

QUERIES = {
  'naive' => ->(query) { query.map { |pair| pair.join('=') }.join('&') },
  'URI.encode_www_form' => ->(query) { URI.encode_www_form(query) },
  'CGI.escape' => ->(query) { query.map { |name, value| "#{name}=#{CGI.escape(value)}" }.join('&') },
  'ERB url_encode' => ->(query) { query.map { |name, value| "#{name}=#{ERB::Util.url_encode(value)}" }.join('&') }
}
QUERIES['activesupport to_query'] = ->(query) { as_hash(query).to_query } if optional('active_support/core_ext/object/to_query')

SERIALISERS = {
  'JSON.generate' => ->(data) { JSON.generate(data) },
  'JSON.pretty_generate' => ->(data) { JSON.pretty_generate(data) },
  'JSON.generate ascii' => ->(data) { JSON.generate(data, ascii_only: true) },
  'JSON.generate script' => ->(data) { JSON.generate(data, script_safe: true) },
  'JSON.generate twice' => ->(data) { JSON.generate(JSON.generate(data)) },
  'inspect' => ->(data) { data.inspect }
}
if optional('active_support/json')
  SERIALISERS['activesupport'] = ->(data) { ActiveSupport::JSON.encode(data) }
end
if optional('oj')
  SERIALISERS['oj'] = ->(data) { Oj.dump(data) }
  SERIALISERS['oj compat'] = ->(data) { Oj.dump(data, mode: :compat) }
  SERIALISERS['oj rails'] = ->(data) { Oj.dump(data, mode: :compat, escape_mode: :xss_safe) }
  SERIALISERS['oj indent'] = ->(data) { Oj.dump(data, indent: 2) }
end

def own_body(job)
  case job['way']
  when 'json' then JSON.generate(job['data'])
  when 'form' then URI.encode_www_form(job['query'])
  else job['text']
  end
end

def own_url(job)
  job['way'] == 'query' ? "#{job['url']}?#{URI.encode_www_form(job['query'])}" : job['url']
end

CLIENTS = {
  'net-http' => lambda do |job, headers|
    uri = URI(own_url(job))
    request = Net::HTTPGenericRequest.new(job['method'], !own_body(job).nil?, true, uri)
    headers.each { |name, value| request[name] = value }
    request.body = own_body(job) if own_body(job)
    Net::HTTP.start(uri.host, uri.port, read_timeout: 5) { |http| http.request(request) }
  end
}
if optional('faraday')
  CLIENTS['faraday'] = lambda do |job, headers|
    connection = Faraday.new { |faraday| faraday.request :url_encoded; faraday.adapter :net_http }
    body = job['way'] == 'form' ? as_hash(job['query']) : own_body(job)
    connection.run_request(job['method'].downcase.to_sym, job['url'], body, headers.to_h) do |request|
      request.params.update(as_hash(job['query'])) if job['way'] == 'query'
    end
  end
end
if optional('httparty')
  CLIENTS['httparty'] = lambda do |job, headers|
    options = { headers: headers.to_h, timeout: 5, follow_redirects: false }
    options[:query] = as_hash(job['query']) if job['way'] == 'query'
    options[:body] = job['way'] == 'form' ? as_hash(job['query']) : own_body(job)
    HTTParty.send(job['method'].downcase, job['url'], options)
  end
end
if optional('rest-client')
  CLIENTS['rest-client'] = lambda do |job, headers|
    all = headers.to_h
    all = all.merge(params: as_hash(job['query'])) if job['way'] == 'query'
    payload = job['way'] == 'form' ? as_hash(job['query']) : own_body(job)
    RestClient::Request.execute(method: job['method'], url: job['url'], payload: payload, headers: all, timeout: 5, max_redirects: 0)
  end
end
if optional('excon')
  CLIENTS['excon'] = lambda do |job, headers|
    options = { method: job['method'], headers: headers.to_h, body: own_body(job) }
    options[:query] = as_hash(job['query']) if job['way'] == 'query'
    Excon.new(job['url']).request(options)
  end
end
if optional('httpclient')
  CLIENTS['httpclient'] = lambda do |job, headers|
    query = job['way'] == 'query' ? as_hash(job['query']) : nil
    body = job['way'] == 'form' ? as_hash(job['query']) : own_body(job)
    HTTPClient.new.request(job['method'], job['url'], query, body, headers.to_h)
  end
end
if optional('typhoeus')
  CLIENTS['typhoeus'] = lambda do |job, headers|
    options = { method: job['method'].downcase.to_sym, headers: headers.to_h, timeout: 5 }
    options[:params] = as_hash(job['query']) if job['way'] == 'query'
    options[:body] = job['way'] == 'form' ? as_hash(job['query']) : own_body(job)
    Typhoeus::Request.new(job['url'], options).run
  end
end
if optional('http')
  CLIENTS['http.rb'] = lambda do |job, headers|
    options = {}
    options[:params] = as_hash(job['query']) if job['way'] == 'query'
    options[:form] = as_hash(job['query']) if job['way'] == 'form'
    options[:json] = job['data'] if job['way'] == 'json'
    options[:body] = job['text'] if job['text']
    HTTP.timeout(5).headers(headers.to_h).request(job['method'].downcase.to_sym, job['url'], options).to_s
  end
end

def hold(job)
  url = job['url']
  body = job['text']
  url += "?#{QUERIES[job['signs']].call(job['query'])}" if job['way'] == 'query'
  body = QUERIES[job['signs']].call(job['query']) if job['way'] == 'form'
  body = job['holds'] || SERIALISERS[job['signs']].call(job['data']) if job['way'] == 'json'
  { url: url, body: body && Base64.strict_encode64(body) }
end

def say(value)
  puts JSON.generate(value)
end

say({ clients: CLIENTS.keys, serialisers: SERIALISERS.keys, queries: QUERIES.keys })
while (line = $stdin.gets)
  job = JSON.parse(line)
  begin
    if job['way'] == 'serialise'
      say({ held: { url: '', body: Base64.strict_encode64(SERIALISERS[job['signs']].call(job['data'])) } })
      next
    end
    held = hold(job)
    if job['sends']
      job['text'] = SERIALISERS[job['sends']].call(job['data'])
      job['way'] = 'text'
    end
    say({ held: held })
  rescue StandardError => e
    say({ error: e.class.name })
    next
  end
  headers = JSON.parse($stdin.gets)['headers']
  begin
    CLIENTS[job['client']].call(job, headers)
    say({ sent: true })
  rescue StandardError => e
    say({ error: e.class.name })
  end
end
