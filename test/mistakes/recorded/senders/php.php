<?php
// Sends planned requests with PHP's HTTP clients. One JSON document per line: a job in, what its author holds out, the
// headers in, the outcome out.
error_reporting(0);

foreach (['GuzzleHttp/autoload.php', 'Symfony/Component/HttpClient/autoload.php'] as $library) @include_once $library;

$serialisers = [
    'json_encode' => fn($data) => json_encode($data),
    'json_encode unescaped' => fn($data) => json_encode($data, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE),
    'json_encode slashes' => fn($data) => json_encode($data, JSON_UNESCAPED_SLASHES),
    'json_encode pretty' => fn($data) => json_encode($data, JSON_PRETTY_PRINT),
    'json_encode pretty unescaped' => fn($data) => json_encode($data, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE),
    'json_encode hex' => fn($data) => json_encode($data, JSON_HEX_TAG | JSON_HEX_AMP | JSON_HEX_APOS | JSON_HEX_QUOT),
    'json_encode fractions' => fn($data) => json_encode($data, JSON_PRESERVE_ZERO_FRACTION),
    'json_encode objects' => fn($data) => json_encode($data, JSON_FORCE_OBJECT),
    'json_encode numeric' => fn($data) => json_encode($data, JSON_NUMERIC_CHECK),
    'json_encode twice' => fn($data) => json_encode(json_encode($data)),
    'print_r' => fn($data) => print_r($data, true),
    'serialize' => fn($data) => serialize($data),
    'http_build_query' => fn($data) => http_build_query($data),
];

$naive = fn($query) => implode('&', array_map(fn($pair) => "$pair[0]=$pair[1]", $query));
$queries = [
    'naive' => $naive,
    'http_build_query' => fn($query) => http_build_query(asArray($query)),
    'http_build_query rfc3986' => fn($query) => http_build_query(asArray($query), '', '&', PHP_QUERY_RFC3986),
    'rawurlencode' => fn($query) => implode('&', array_map(fn($pair) => rawurlencode($pair[0]) . '=' . rawurlencode($pair[1]), $query)),
    'urlencode values' => fn($query) => implode('&', array_map(fn($pair) => $pair[0] . '=' . urlencode($pair[1]), $query)),
];

function asArray($query) {
    $array = [];
    foreach ($query as [$name, $value]) {
        if (array_key_exists($name, $array)) $array[$name] = [...(array) $array[$name], $value];
        else $array[$name] = $value;
    }
    return $array;
}

function ownBody($job) {
    if ($job['way'] === 'json') return json_encode($job['data']);
    if ($job['way'] === 'form') return http_build_query(asArray($job['query']));
    return $job['text'] ?? null;
}

function ownUrl($job) {
    return $job['way'] === 'query' ? $job['url'] . '?' . http_build_query(asArray($job['query'])) : $job['url'];
}

function lines($headers) {
    return array_map(fn($header) => "$header[0]: $header[1]", $headers);
}

$clients = [
    'curl' => function ($job, $headers) {
        $curl = curl_init(ownUrl($job));
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $job['method'],
            CURLOPT_HTTPHEADER => lines($headers),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_NOBODY => $job['method'] === 'HEAD',
            CURLOPT_TIMEOUT => 5,
        ]);
        $body = ownBody($job);
        if ($body !== null) curl_setopt($curl, CURLOPT_POSTFIELDS, $body);
        if (curl_exec($curl) === false) throw new Exception(curl_error($curl));
    },
    'file_get_contents' => function ($job, $headers) {
        $options = ['method' => $job['method'], 'header' => lines($headers), 'timeout' => 5, 'ignore_errors' => true, 'follow_location' => 0];
        $body = ownBody($job);
        if ($body !== null) $options['content'] = $body;
        if (file_get_contents(ownUrl($job), false, stream_context_create(['http' => $options])) === false) throw new Exception('refused');
    },
];
if (class_exists('GuzzleHttp\Client')) $clients['guzzle'] = function ($job, $headers) {
    $options = ['headers' => array_column($headers, 1, 0), 'timeout' => 5, 'http_errors' => false, 'allow_redirects' => false];
    if ($job['way'] === 'query') $options['query'] = asArray($job['query']);
    if ($job['way'] === 'form') $options['form_params'] = asArray($job['query']);
    if ($job['way'] === 'json') $options['json'] = $job['data'];
    if (isset($job['text'])) $options['body'] = $job['text'];
    (new GuzzleHttp\Client())->request($job['method'], $job['url'], $options);
};
if (class_exists('Symfony\Component\HttpClient\HttpClient')) foreach (['CurlHttpClient', 'NativeHttpClient'] as $class)
    $clients["symfony $class"] = function ($job, $headers) use ($class) {
        $options = ['headers' => array_column($headers, 1, 0), 'timeout' => 5, 'max_redirects' => 0];
        if ($job['way'] === 'query') $options['query'] = asArray($job['query']);
        if ($job['way'] === 'form') $options['body'] = asArray($job['query']);
        if ($job['way'] === 'json') $options['json'] = $job['data'];
        if (isset($job['text'])) $options['body'] = $job['text'];
        $name = "Symfony\\Component\\HttpClient\\$class";
        (new $name())->request($job['method'], $job['url'], $options)->getStatusCode();
    };

function hold($job) {
    global $queries, $serialisers;
    $url = $job['url'];
    $body = $job['text'] ?? null;
    if ($job['way'] === 'query') $url .= '?' . $queries[$job['signs']]($job['query']);
    if ($job['way'] === 'form') $body = $queries[$job['signs']]($job['query']);
    if ($job['way'] === 'json') $body = $job['holds'] ?? $serialisers[$job['signs']]($job['data']);
    return ['url' => $url, 'body' => $body === null ? null : base64_encode($body)];
}

function say($value) {
    echo json_encode($value, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}

say(['clients' => array_keys($clients), 'serialisers' => array_keys($serialisers), 'queries' => array_keys($queries)]);
while (($line = fgets(STDIN)) !== false) {
    $job = json_decode($line, true);
    try {
        if ($job['way'] === 'serialise') {
            say(['held' => ['url' => '', 'body' => base64_encode($serialisers[$job['signs']]($job['data']))]]);
            continue;
        }
        $held = hold($job);
        if (isset($job['sends'])) {
            $job['text'] = $serialisers[$job['sends']]($job['data']);
            $job['way'] = 'text';
        }
        say(['held' => $held]);
    } catch (Throwable $error) {
        say(['error' => $error->getMessage()]);
        continue;
    }
    $headers = json_decode(fgets(STDIN), true)['headers'];
    try {
        $clients[$job['client']]($job, $headers);
        say(['sent' => true]);
    } catch (Throwable $error) {
        say(['error' => $error->getMessage()]);
    }
}
