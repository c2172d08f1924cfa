# Sends planned requests with Perl's HTTP clients. One JSON document per line: a job in, what its author holds out, the
# headers in, the outcome out.
use strict;
use warnings;
use JSON::PP ();
use MIME::Base64 qw(encode_base64);

$| = 1;
my $wire = JSON::PP->new->utf8->canonical;

sub optional { my ($name) = @_; return eval "require $name; 1" }

# JSON::PP keeps neither order; a hash has none.
my %serialisers = (
    'JSON::PP'           => sub { JSON::PP->new->utf8->encode($_[0]) },
    'JSON::PP canonical' => sub { JSON::PP->new->utf8->canonical->encode($_[0]) },
    'JSON::PP pretty'    => sub { JSON::PP->new->utf8->canonical->pretty->encode($_[0]) },
    'JSON::PP ascii'     => sub { JSON::PP->new->ascii->canonical->encode($_[0]) },
    'JSON::PP latin1'    => sub { JSON::PP->new->latin1->canonical->encode($_[0]) },
);
if (optional('JSON::XS')) {
    $serialisers{'JSON::XS'} = sub { JSON::XS->new->utf8->canonical->encode($_[0]) };
    $serialisers{'JSON::XS pretty'} = sub { JSON::XS->new->utf8->canonical->pretty->encode($_[0]) };
}
if (optional('Cpanel::JSON::XS')) {
    $serialisers{'Cpanel::JSON::XS'} = sub { Cpanel::JSON::XS->new->utf8->canonical->encode($_[0]) };
}
if (optional('Mojo::JSON')) {
    $serialisers{'Mojo::JSON'} = sub { Mojo::JSON::encode_json($_[0]) };
}

sub bytes { my ($text) = @_; utf8::encode($text); return $text }

sub escaped {
    my ($text, $safe) = @_;
    $text = bytes($text);
    $text =~ s/([^$safe])/sprintf '%%%02X', ord $1/ge;
    return $text;
}

my %queries = (
    'naive' => sub { join '&', map { bytes("$_->[0]=$_->[1]") } @{ $_[0] } },
    'sprintf' => sub { join '&', map { bytes($_->[0]) . '=' . escaped($_->[1], 'A-Za-z0-9') } @{ $_[0] } },
);
if (optional('URI::Escape')) {
    $queries{'URI::Escape'} = sub {
        join '&', map { URI::Escape::uri_escape_utf8($_->[0]) . '=' . URI::Escape::uri_escape_utf8($_->[1]) } @{ $_[0] };
    };
}
if (optional('Mojo::Parameters')) {
    $queries{'Mojo::Parameters'} = sub { Mojo::Parameters->new(map { @$_ } @{ $_[0] })->to_string };
}

sub own_body {
    my ($job) = @_;
    return $serialisers{'JSON::PP canonical'}->($job->{data}) if $job->{way} eq 'json';
    return $queries{'sprintf'}->($job->{query}) if $job->{way} eq 'form';
    return ref $job->{text} ? ${ $job->{text} } : defined $job->{text} ? bytes($job->{text}) : undef;
}

sub own_url {
    my ($job) = @_;
    return $job->{url} . '?' . $queries{'sprintf'}->($job->{query}) if $job->{way} eq 'query';
    return $job->{url};
}

my %clients;
if (optional('HTTP::Tiny')) {
    $clients{'HTTP::Tiny'} = sub {
        my ($job, $headers) = @_;
        my $body = own_body($job);
        my %options = (headers => { map { @$_ } @$headers });
        delete $options{headers}{Host};
        $options{content} = $body if defined $body;
        my $answer = HTTP::Tiny->new(timeout => 5, max_redirect => 0)->request($job->{method}, own_url($job), \%options);
        die $answer->{content} if $answer->{status} == 599;
    };
}
if (optional('LWP::UserAgent') && optional('HTTP::Request')) {
    $clients{'LWP'} = sub {
        my ($job, $headers) = @_;
        my $url = URI->new($job->{url});
        $url->query_form(map { @$_ } @{ $job->{query} }) if $job->{way} eq 'query';
        my $request = HTTP::Request->new($job->{method}, $url, [ map { @$_ } @$headers ], own_body($job));
        LWP::UserAgent->new(timeout => 5, max_redirect => 0)->request($request);
    };
}
if (optional('Furl')) {
    $clients{'Furl'} = sub {
        my ($job, $headers) = @_;
        Furl->new(timeout => 5, max_redirects => 0)
            ->request(method => $job->{method}, url => own_url($job), headers => [ map { @$_ } @$headers ], content => own_body($job));
    };
}
if (optional('Mojo::UserAgent')) {
    $clients{'Mojo::UserAgent'} = sub {
        my ($job, $headers) = @_;
        my %generate = $job->{way} eq 'form' ? (form => { map { @$_ } @{ $job->{query} } })
            : $job->{way} eq 'json' ? (json => $job->{data}) : ();
        my $url = Mojo::URL->new($job->{url});
        $url->query(map { @$_ } @{ $job->{query} }) if $job->{way} eq 'query';
        my $agent = Mojo::UserAgent->new(max_redirects => 0, request_timeout => 5);
        my @content = %generate ? %generate : defined own_body($job) ? (own_body($job)) : ();
        $agent->start($agent->build_tx($job->{method}, $url, { map { @$_ } @$headers }, @content));
    };
}

sub hold {
    my ($job) = @_;
    my $url = bytes($job->{url});
    my $body = defined $job->{text} ? bytes($job->{text}) : undef;
    $url .= '?' . $queries{ $job->{signs} }->($job->{query}) if $job->{way} eq 'query';
    $body = $queries{ $job->{signs} }->($job->{query}) if $job->{way} eq 'form';
    $body = defined $job->{holds} ? bytes($job->{holds}) : $serialisers{ $job->{signs} }->($job->{data}) if $job->{way} eq 'json';
    utf8::decode($url);
    return { url => $url, body => defined $body ? encode_base64($body, '') : undef };
}

sub say_line { print $wire->encode($_[0]), "\n" }

sub first_sorted { my ($first, %table) = @_; return [ $first, grep { $_ ne $first } sort keys %table ] }

say_line({
    clients     => [ sort keys %clients ],
    serialisers => first_sorted('JSON::PP', %serialisers),
    queries     => first_sorted('naive', %queries),
});
while (my $line = <STDIN>) {
    my $job = $wire->decode($line);
    my $held = eval {
        $job->{way} eq 'serialise'
            ? { url => '', body => encode_base64($serialisers{ $job->{signs} }->($job->{data}), '') }
            : hold($job);
    };
    if ($held && defined $job->{sends}) {
        my $text = eval { $serialisers{ $job->{sends} }->($job->{data}) };
        $held = undef unless defined $text;
        @$job{qw(text way)} = (\$text, 'text');
    }
    if (!$held) { say_line({ error => 'refused' }); next }
    say_line({ held => $held });
    next if $job->{way} eq 'serialise';
    my $headers = $wire->decode(scalar <STDIN>)->{headers};
    say_line(eval { $clients{ $job->{client} }->($job, $headers); 1 } ? { sent => JSON::PP::true } : { error => 'refused' });
}
