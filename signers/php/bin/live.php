<?php

declare(strict_types=1);

// Sends the requests of standard input, one JSON object per line, through PHP's HTTP clients: see live.sh.
//
// PHP has no threads: each of WORKERS processes takes a share of the lines. They know nothing of each other but the
// default sharedFolder, like the processes of a PHP-FPM pool.

use Countersign\Tests\Support\LiveClients;

require __DIR__ . '/../tests/bootstrap.php';

// Debian's Guzzle is older than PHP 8.2.
error_reporting(E_ALL & ~E_DEPRECATED);

$about = ['clients' => LiveClients::NAMES, 'knows' => ['isStream', 'timeoutMs']];
fwrite(STDOUT, json_encode($about, JSON_THROW_ON_ERROR) . "\n");

$workers = max(1, (int) (getenv('WORKERS') ?: 4));
$pipes = [];
for ($worker = 0; $worker < $workers; $worker++) {
    [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
    $process = pcntl_fork();
    if ($process === 0) {
        fclose($ours);
        foreach ($pipes as $pipe) {
            fclose($pipe);
        }
        work($theirs);
        exit(0);
    }
    fclose($theirs);
    $pipes[] = $ours;
}
for ($count = 0; ($line = fgets(STDIN)) !== false; $count++) {
    for ($rest = $line; $rest !== ''; $rest = substr($rest, $written)) {
        $written = fwrite($pipes[$count % $workers], $rest);
        if ($written === false) {
            fwrite(STDERR, "A worker ended early.\n");
            exit(1);
        }
    }
}
foreach ($pipes as $pipe) {
    fclose($pipe);
}
$failed = false;
while (pcntl_wait($status) > 0) {
    $failed = $failed || pcntl_wexitstatus($status) !== 0;
}
exit($failed ? 1 : 0);

/** @param resource $input */
function work($input): void
{
    $clients = new LiveClients((string) getenv('CLIENT_ID'), (string) getenv('PRIVATE_KEY_FILE'));
    // Opened anew, because a lock belongs to the opened file, and forks share STDOUT.
    $lock = fopen(__FILE__, 'r');
    while (($line = fgets($input)) !== false) {
        $answer = json_encode($clients->send(json_decode($line, true, 16, JSON_THROW_ON_ERROR)), JSON_THROW_ON_ERROR);
        flock($lock, LOCK_EX);
        fwrite(STDOUT, "$answer\n");
        fflush(STDOUT);
        flock($lock, LOCK_UN);
    }
}
