<?php

declare(strict_types=1);

// Composer's autoloader, or those of the Debian packages php-guzzlehttp-guzzle, php-nyholm-psr7, php-psr-log and
// php-symfony-http-client, with one for this package.
$composer = __DIR__ . '/../vendor/autoload.php';
if (is_file($composer)) {
    require $composer;
    return;
}
foreach (['GuzzleHttp', 'Nyholm/Psr7', 'Symfony/Component/HttpClient', 'Psr/Http/Client', 'Psr/Log'] as $package) {
    require_once "/usr/share/php/$package/autoload.php";
}
spl_autoload_register(static function (string $class): void {
    foreach (['Countersign\\Tests\\' => '/', 'Countersign\\' => '/../src/'] as $prefix => $folder) {
        if (str_starts_with($class, $prefix)) {
            $file = __DIR__ . $folder . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
            if (is_file($file)) {
                require $file;
            }
            return;
        }
    }
});
