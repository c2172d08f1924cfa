import type { FindingCode } from '@countersign/explain';

/**
 * The mistakes of a request in German: title, cause and fix, as in the explainer's own table. Sentences have no full
 * stop, because a request's values may follow after a colon.
 */
export const findingTexts: Readonly<
  Record<FindingCode, readonly [title: string, cause: string, fix: string]>
> = {
  url_scheme: [
    'Die URL wurde mit falschem Schema signiert',
    'Das Schema der signierten URL ist nicht das der aufgerufenen URL',
    'Signieren Sie die URL genau so, wie Sie sie aufrufen, auch das Schema',
  ],
  url_host_port: [
    'Die URL wurde mit falschem Port signiert',
    'Der Port der signierten URL ist nicht der aufgerufene',
    'Signieren Sie den Host wie in der URL des Dienstes, mit Port nur dann, wenn dort einer steht',
  ],
  url_host_case: [
    'Der Host wurde in falscher Groß-/Kleinschreibung signiert',
    'Der Host ist in der signierten URL anders groß- und kleingeschrieben als in der Anfrage',
    'Signieren Sie den Host wie in der URL des Dienstes, in Kleinbuchstaben',
  ],
  url_host_unicode: [
    'Der Host wurde in Unicode signiert',
    'Der Host wurde in Unicode signiert, steht in der Anfrage aber in Punycode',
    'Wandeln Sie den Host vor dem Signieren in Punycode um',
  ],
  url_other_host: [
    'Die URL wurde mit falschem Host signiert',
    'Der Host der signierten URL ist nicht der aufgerufene',
    'Signieren Sie die URL mit dem Host, an den die Anfrage gesendet wird',
  ],
  url_internal_host: [
    'Die URL wurde mit einem internen Host signiert',
    'Die signierte URL enthält den internen Host hinter dem Proxy',
    'Signieren Sie die öffentliche URL des Dienstes',
  ],
  url_no_query: [
    'Die URL wurde ohne ihre Query signiert',
    'Die Query wurde gesendet, aber nicht signiert',
    'Signieren Sie die ganze URL mit ihrer Query',
  ],
  url_query_order: [
    'Die Query-Parameter wurden umsortiert',
    'Die Query-Parameter wurden in einer anderen Reihenfolge signiert als gesendet',
    'Signieren Sie die Query genau so, wie sie gesendet wird. Wenn Ihre HTTP-Bibliothek sie sortiert, signieren Sie die URL der fertigen Anfrage',
  ],
  url_query_encoding: [
    'Die Query wurde anders kodiert',
    'Die Query war beim Signieren anders kodiert als beim Senden',
    'Kodieren Sie die URL einmal, dann signieren und senden Sie genau diesen Text',
  ],
  url_query_part: [
    'Die Query wurde mit anderen Parametern signiert',
    'Die signierte und die gesendete Query haben unterschiedliche Parameter',
    'Signieren Sie die Query genau so, wie sie gesendet wird',
  ],
  url_trailing_slash: [
    'Der Schrägstrich am Ende des Pfads weicht ab',
    'Nur einer von beiden, der signierte oder der gesendete Pfad, endet mit einem Schrägstrich',
    'Signieren Sie den Pfad genau so, wie er gesendet wird, mit oder ohne Schrägstrich am Ende',
  ],
  url_double_slash: [
    'Die Schrägstriche im Pfad weichen ab',
    'Der Pfad wurde mit anderen Schrägstrichen signiert als gesendet',
    'Setzen Sie Basis-URL und Pfad mit genau einem Schrägstrich zusammen',
  ],
  url_dot_segments: [
    'Der Pfad wurde mit Punktsegmenten signiert',
    'Der signierte und der gesendete Pfad haben unterschiedliche Punktsegmente',
    'Lösen Sie `.` und `..` vor dem Signieren auf und senden Sie genau den signierten Pfad',
  ],
  url_path_only: [
    'Nur ein Teil der URL wurde signiert',
    'Nur ein Teil der URL wurde signiert',
    'Signieren Sie die vollständige URL mit Schema, Host, Pfad und Query',
  ],
  url_path_prefix: [
    'Der signierte Pfad ist nicht der angekommene',
    'Der signierte Pfad ist nicht der angekommene',
    'Signieren und senden Sie ein und dieselbe URL: die, die Sie aufrufen. Wenn Sie das schon tun, ändert etwas unterwegs den Pfad. Schalten Sie das ab, oder signieren Sie den Pfad, der ankommt',
  ],
  url_path_encoding: [
    'Der Pfad wurde anders kodiert',
    'Der Pfad war beim Signieren anders kodiert als beim Senden',
    'Kodieren Sie den Pfad einmal, dann signieren und senden Sie genau diesen Text',
  ],
  url_fragment: [
    'Die URL wurde mit Fragment signiert',
    'Die signierte URL enthält ein Fragment, und Fragmente werden nie gesendet',
    'Entfernen Sie vor dem Signieren das `#` und alles danach',
  ],
  url_trailing_question_mark: [
    'Das Fragezeichen am Ende der URL weicht ab',
    'Nur eine von beiden, die signierte oder die gesendete URL, endet mit einem Fragezeichen',
    'Signieren Sie die URL genau so, wie sie gesendet wird: kein `?` ohne Query',
  ],
  method_case: [
    'Die Methode wurde in falscher Groß-/Kleinschreibung signiert',
    'Die signierte Methode ist anders groß- und kleingeschrieben als die gesendete',
    'Signieren Sie die Methode in Großbuchstaben',
  ],
  method_other: [
    'Eine andere Methode wurde signiert',
    'Die signierte Methode ist nicht die gesendete',
    'Signieren Sie die Methode aus der ersten Zeile der Anfrage',
  ],
  method_head_as_get: [
    'HEAD und GET wurden verwechselt',
    'Eine der Methoden HEAD und GET wurde signiert, die andere gesendet',
    'Signieren Sie die Methode, die gesendet wird. HEAD ist nicht GET',
  ],
  body_json_whitespace: [
    'Das JSON wurde nach dem Hashen umformatiert',
    'Der Digest passt zu demselben JSON mit anderen Zeilenumbrüchen, Einrückungen oder Leerzeichen',
    'Serialisieren Sie den Body einmal, dann hashen und senden Sie genau diese Bytes',
  ],
  body_json_key_order: [
    'Die Felder im JSON wurden umsortiert',
    'Der Digest passt zu demselben JSON mit einer anderen Reihenfolge der Felder',
    'Serialisieren Sie den Body einmal, dann hashen und senden Sie genau diese Bytes',
  ],
  body_json_escapes: [
    'Zeichen im JSON wurden anders maskiert',
    'Der Digest passt zu demselben JSON mit anderen Escape-Sequenzen',
    'Serialisieren Sie den Body einmal, dann hashen und senden Sie genau diese Bytes',
  ],
  body_json_separators: [
    'Das JSON wurde mit anderen Leerzeichen gehasht',
    'Der Digest passt zu demselben JSON mit anderen Leerzeichen nach Kommas und Doppelpunkten',
    'Serialisieren Sie den Body einmal, dann hashen und senden Sie genau diese Bytes',
  ],
  body_json_numbers: [
    'Zahlen im JSON wurden anders geschrieben',
    'Der Digest passt zu demselben JSON mit anders geschriebenen Zahlen oder Wahrheitswerten',
    'Serialisieren Sie den Body einmal, dann hashen und senden Sie genau diese Bytes',
  ],
  body_json_twice: [
    'Das JSON wurde doppelt serialisiert',
    'Das JSON wurde doppelt serialisiert, entweder vor dem Hashen oder vor dem Senden',
    'Serialisieren Sie den Body einmal, dann hashen und senden Sie genau diese Bytes',
  ],
  body_python_repr: [
    'Ein ausgegebenes Python-Objekt wurde gehasht, nicht das JSON',
    'Der Digest passt zu dem Text, den Python für das Objekt ausgibt',
    'Serialisieren Sie mit json.dumps, dann hashen und senden Sie genau diese Bytes',
  ],
  body_form_encoded: [
    'Der Body wurde mit einem anderen Medientyp gehasht',
    'Der Digest passt zu denselben Werten als Formular oder als JSON, aber nicht so, wie sie gesendet wurden',
    'Hashen Sie die Bytes, die gesendet werden',
  ],
  body_charset: [
    'Der Body wurde in einem anderen Zeichensatz gehasht',
    'Der Digest passt zu demselben Text in einem anderen Zeichensatz oder einer anderen Unicode-Form',
    'Kodieren Sie den Text einmal als UTF-8, dann hashen und senden Sie genau diese Bytes',
  ],
  body_encoded: [
    'Der Body wurde in einer anderen Kodierung gehasht',
    'Der Digest passt zum Body in einer anderen Kodierung',
    'Hashen Sie die Bytes, die gesendet werden',
  ],
  body_bom: [
    'Die Byte Order Mark (BOM) weicht ab',
    'Nur einer von beiden, der gehashte oder der gesendete Body, beginnt mit einer Byte Order Mark',
    'Hashen Sie die Bytes, die gesendet werden, und lassen Sie die Byte Order Mark beide Male weg',
  ],
  body_line_ends: [
    'Die Zeilenenden im Body haben sich geändert',
    'Der Digest passt zu demselben Text mit anderen Zeilenenden',
    'Öffnen Sie Dateien im Binärmodus, dann hashen und senden Sie dieselben Bytes',
  ],
  body_trailing_newline: [
    'Der Whitespace am Rand des Bodys hat sich geändert',
    'Der Digest passt zu demselben Body mit anderem Whitespace am Ende oder Anfang',
    'Hashen Sie genau die Bytes, die gesendet werden. Manche HTTP-Clients entfernen Whitespace am Rand, Editoren und `echo` fügen einen Zeilenumbruch an',
  ],
  body_compression: [
    'Der Body wurde anders komprimiert gehasht als gesendet',
    'Der Digest passt nicht zu den komprimierten Bytes, die gesendet wurden',
    'Komprimieren Sie zuerst, dann hashen und senden Sie genau diese Bytes',
  ],
  body_empty: [
    'Ein leerer Body wurde gehasht',
    'Der Digest passt zu einem leeren Body',
    'Hashen Sie die Bytes, die gesendet werden. Ohne Body lassen Sie Content-Digest in der Anfrage und in der Signatur weg',
  ],
  body_missing: [
    'Die Anfrage kam ohne ihren Body an',
    'Die Signatur deckt Content-Digest ab, aber es kam kein Body an',
    'Wenn Sie einen Body senden, ging er unterwegs bei einer Weiterleitung oder in einem Proxy verloren: Rufen Sie die API direkt auf, oder korrigieren Sie den Proxy. Wenn Sie keinen senden, lassen Sie Content-Digest in der Anfrage und in Signature-Input weg',
  ],
  body_json_members: [
    'Das JSON hatte beim Hashen andere Felder',
    'Der Digest passt zu demselben JSON mit anderen Feldern',
    'Serialisieren Sie den Body einmal, und zwar nach der letzten Änderung, dann hashen und senden Sie genau diese Bytes',
  ],
  body_printed: [
    'Ein ausgegebenes Objekt wurde gehasht oder gesendet, kein JSON',
    'Gehasht oder gesendet wurde der Text, den eine Programmiersprache für ein Objekt ausgibt',
    'Serialisieren Sie das Objekt einmal, dann hashen und senden Sie genau diese Bytes',
  ],
  body_truncated: [
    'Nur ein Teil des Bodys wurde gehasht',
    'Der Digest passt zum Anfang des Bodys',
    'Lesen Sie den ganzen Body, bevor Sie ihn hashen',
  ],
  body_other: [
    'Ein anderer Body wurde gehasht',
    'Der Digest passt zu keiner Form des empfangenen Bodys, die geprüft wurde',
    'Lassen Sie sich unmittelbar vor dem Hashen die Länge und die ersten 40 Bytes des Textes ausgeben, den Sie hashen, und vergleichen Sie. Oft ist der Body komprimiert, oder die HTTP-Bibliothek serialisiert das Objekt nach dem Hashen noch einmal',
  ],
  digest_hex: [
    'Der Digest ist hexadezimal',
    'Der Digest ist hexadezimal geschrieben, nicht in Base64',
    'Schreiben Sie die 32 Bytes des Digests in Base64',
  ],
  digest_base64url: [
    'Der Digest ist in Base64url oder ohne Padding',
    'Der Digest ist nicht in Standard-Base64 mit Padding',
    'Verwenden Sie Standard-Base64 mit `+`, `/` und Padding',
  ],
  digest_double_base64: [
    'Der Digest wurde zweimal in Base64 kodiert',
    'Der Digest wurde zweimal in Base64 kodiert',
    'Kodieren Sie die 32 Bytes des Digests nur einmal',
  ],
  digest_of_hex: [
    'Der Digest wurde aus einem anderen Digest gebildet',
    'Der Digest wurde als hexadezimaler Text behandelt, bevor er kodiert oder noch einmal gehasht wurde',
    'Kodieren Sie die 32 rohen Bytes des Digests',
  ],
  digest_sha512: [
    'Der Digest verwendet die falsche SHA-2-Funktion',
    'Der Digest wurde nicht mit SHA-256 gebildet',
    'Hashen Sie den Body mit SHA-256',
  ],
  digest_md5: [
    'Der Digest verwendet MD5 oder SHA-1',
    'Der Digest verwendet eine veraltete Hashfunktion',
    'Hashen Sie den Body mit SHA-256',
  ],
  digest_old_form: [
    'Der Digest wurde im alten Format gesendet oder signiert',
    'Der Digest hat das Format des alten Headers Digest',
    'Schreiben Sie `sha-256=:<base64>:`',
  ],
  digest_no_colons: [
    'Dem Digest fehlen die Doppelpunkte',
    'Um das Base64 des Digests fehlen die Doppelpunkte',
    'Schreiben Sie `sha-256=:<base64>:`',
  ],
  digest_form: [
    'Content-Digest wurde im falschen Format gesendet oder signiert',
    'Content-Digest hat nicht das vorgeschriebene Format',
    'Schreiben Sie genau `sha-256=:<base64>:`',
  ],
  digest_not_covered: [
    'Der Digest ist nicht signiert',
    'Die Anfrage hat einen Body, aber dessen Digest ist nicht signiert',
    'Wenn es einen Body gibt, senden Sie Content-Digest und führen Sie "content-digest" in der Signatur auf',
  ],
  digest_changed_after_signing: [
    'Content-Digest wurde nach dem Signieren geändert',
    'Der signierte Content-Digest ist nicht der gesendete',
    'Berechnen Sie zuerst den Digest und ändern Sie ihn nach dem Signieren nicht mehr',
  ],
  base_trailing_newline: [
    'Die Signaturbasis hat Whitespace am Anfang oder Ende',
    'Vor der ersten oder nach der letzten Zeile wurde ein Zeilenumbruch oder ein anderes Zeichen mitsigniert',
    'Verbinden Sie die Zeilen mit Zeilenumbrüchen, aber ohne einen nach der letzten Zeile',
  ],
  base_crlf: [
    'Die Zeilen der Signaturbasis wurden anders verbunden',
    'Die Zeilen der Signaturbasis wurden nicht mit einfachen Zeilenumbrüchen verbunden',
    'Verbinden Sie die Zeilen auf jeder Plattform mit einem einzelnen Zeilenumbruch, dem Zeichen 0x0A',
  ],
  base_some_crlf: [
    'Die Signaturbasis hat gemischte Zeilenenden',
    'Manche Zeilen der Signaturbasis enden mit CRLF, andere mit LF',
    'Verbinden Sie alle Zeilen mit einem einzelnen Zeilenumbruch, dem Zeichen 0x0A. Entfernen Sie Whitespace am Ende von Werten, die aus einer Datei stammen, denn sie können mit einem Wagenrücklauf (CR) enden',
  ],
  base_literal_newline: [
    'Die Signaturbasis enthält Backslash und n statt Zeilenumbrüchen',
    'Statt Zeilenumbrüchen wurden die Zeichen \\ und n signiert',
    "Verwenden Sie eine String-Schreibweise, die aus \\n einen Zeilenumbruch macht: doppelte Anführungszeichen in PHP, $'…' in einer Shell",
  ],
  base_colon_space: [
    'Namen und Werte sind anders getrennt',
    'Die Namen und Werte in der Signaturbasis sind nicht durch einen Doppelpunkt und ein Leerzeichen getrennt',
    'Schreiben Sie jede Zeile als `"name": value`, mit einem Leerzeichen nach dem Doppelpunkt',
  ],
  base_unquoted_names: [
    'Die Namen in der Signaturbasis sind anders geschrieben',
    'Die Namen in der Signaturbasis stehen nicht in doppelten Anführungszeichen',
    'Schreiben Sie die Namen in doppelten Anführungszeichen und in Kleinbuchstaben',
  ],
  base_name_case: [
    'Die Namen in der Signaturbasis sind nicht kleingeschrieben',
    'Ein Komponentenname ist nicht kleingeschrieben',
    'Schreiben Sie die Namen in Kleinbuchstaben',
  ],
  base_no_signature_params: [
    'In der Signaturbasis fehlt die Zeile @signature-params',
    'Die letzte Zeile der Signaturbasis, @signature-params, wurde nicht signiert',
    'Schließen Sie die Signaturbasis mit `"@signature-params": ` und dem Text nach `sig=` ab',
  ],
  base_params_rebuilt: [
    'Die signierten Parameter weichen von Signature-Input ab',
    'In der signierten Zeile @signature-params steht nicht das, was in Signature-Input auf `sig=` folgt',
    'Bilden Sie den Text der Parameter einmal und verwenden Sie ihn an beiden Stellen',
  ],
  base_params_with_label: [
    'Das Label wurde mitsigniert',
    'In der Signaturbasis steht vor den Parametern das Label `sig=`',
    'Signieren Sie nur den Text nach `sig=`',
  ],
  base_params_whole_header: [
    'Der ganze Header Signature-Input wurde signiert',
    'Die letzte Zeile der Signaturbasis enthält die Header-Zeile, nicht nur die Parameter',
    'Schließen Sie die Signaturbasis mit `"@signature-params": ` und dem Text nach `sig=` ab',
  ],
  base_component_order: [
    'Die Komponenten stehen in der falschen Reihenfolge',
    'Die Komponenten stehen nicht in der vorgeschriebenen Reihenfolge',
    'Verwenden Sie die Reihenfolge "@method", "@target-uri", "content-digest" (mit Body), "date"',
  ],
  base_no_date: [
    'Date ist nicht signiert',
    'In Signature-Input ist "date" nicht aufgeführt',
    'Führen Sie "date" in Signature-Input auf und signieren Sie die Zeile dazu',
  ],
  base_no_digest: [
    'Content-Digest wurde nicht signiert',
    'In der Signaturbasis fehlt die Zeile zu Content-Digest',
    'Signieren Sie die Zeile zu Content-Digest immer, wenn er aufgeführt ist',
  ],
  base_line_left_out: [
    'In der Signaturbasis fehlt eine Zeile',
    'In der Signaturbasis fehlt eine Zeile',
    'Signieren Sie zu jeder Komponente in Signature-Input eine Zeile',
  ],
  base_extra_component: [
    'Die Signatur hat eine Komponente zu viel',
    'In der Signatur ist eine Komponente aufgeführt oder signiert, die nicht dazugehört oder doppelt ist',
    'Führen Sie genau "@method", "@target-uri", "content-digest" (mit Body) und "date" auf und signieren Sie genau diese',
  ],
  base_missing_component: [
    'Eine vorgeschriebene Komponente ist nicht signiert',
    'In der Signatur fehlt eine vorgeschriebene Komponente',
    'Führen Sie genau "@method", "@target-uri", "content-digest" (mit Body) und "date" auf und signieren Sie genau diese',
  ],
  base_component_absent: [
    'Eine aufgeführte Komponente ist nicht in der Anfrage',
    'In Signature-Input ist etwas aufgeführt, das in der Anfrage fehlt oder sich in dieser Form nicht signieren lässt',
    'Führen Sie nur auf, was gesendet wird. Wenn Sie es senden, entfernt es etwas unterwegs',
  ],
  base_component_parameters: [
    'Die Parameter einer Komponente fehlen',
    'In den Zeilen der Signaturbasis fehlen die Parameter der Komponenten',
    'Schreiben Sie jede Komponente wie in Signature-Input, mit ihren Parametern nach dem schließenden Anführungszeichen',
  ],
  base_member_value: [
    'Von einem Dictionary-Eintrag wurde der falsche Wert signiert',
    'Der Wert, den Sie für eine Komponente mit dem Parameter key signiert haben, ist nicht der Wert dieses Eintrags',
    'Signieren Sie nur den Wert des Eintrags, mit seinen Anführungszeichen, so wie er nach dem Gleichheitszeichen steht (RFC 9421, Abschnitt 2.1.2)',
  ],
  base_query_mark: [
    'Die Query wurde ohne ihr Fragezeichen signiert',
    'Der Wert von "@query" wurde ohne das Fragezeichen signiert, mit dem er beginnt',
    'Beginnen Sie den Wert von "@query" mit `?`, auch wenn es keine Query gibt (RFC 9421, Abschnitt 2.2.7)',
  ],
  base_other_date: [
    'Ein anderes Datum wurde signiert',
    'Das signierte Datum ist nicht das gesendete',
    'Bilden Sie den Wert von Date einmal, dann signieren und senden Sie genau diesen Text',
  ],
  base_other_created: [
    'Ein anderer Wert von created wurde signiert',
    'Der signierte Wert von created ist nicht der gesendete',
    'Lesen Sie die Uhr einmal ab und verwenden Sie an beiden Stellen denselben Text',
  ],
  base_created_format: [
    'created wurde in einem anderen Format signiert',
    'created hat in der Signaturbasis ein anderes Format als in Signature-Input',
    'Bilden Sie den Text der Parameter einmal und verwenden Sie ihn an beiden Stellen',
  ],
  base_value_trimmed: [
    'Ein Wert wurde mit anderem Whitespace signiert',
    'Der Whitespace in einem Wert oder an seinem Rand ist in der Signaturbasis anders als in der Anfrage',
    'Signieren Sie die Werte ohne Whitespace am Rand',
  ],
  base_value_case: [
    'Ein Wert wurde in falscher Groß-/Kleinschreibung signiert',
    'Ein Wert ist in der Signaturbasis anders groß- und kleingeschrieben als in der Anfrage',
    'Signieren Sie die Werte genau so, wie sie gesendet werden',
  ],
  base_value_empty: [
    'Eine Zeile der Signaturbasis ist leer',
    'Eine Zeile der Signaturbasis hat keinen Wert',
    'Setzen Sie Methode, URL und Header, bevor Sie die Signaturbasis bilden, und übernehmen Sie die Werte von dort',
  ],
  base_value_printed: [
    'Ein Wert in der Signaturbasis ist umschlossen, maskiert oder nicht gesetzt',
    'Eine Zeile der Signaturbasis enthält die Textausgabe einer Programmiersprache, nicht den Wert selbst',
    'Signieren Sie den reinen Wert und setzen Sie ihn, bevor Sie die Signaturbasis bilden',
  ],
  base_encoded: [
    'Die Signaturbasis wurde vor dem Signieren kodiert',
    'Signiert wurde eine kodierte oder maskierte Form der Signaturbasis',
    'Signieren Sie die Bytes der Signaturbasis selbst, als UTF-8',
  ],
  base_other_text: [
    'Der falsche Text wurde signiert, nicht die Signaturbasis',
    'Sie haben etwas anderes als die Signaturbasis signiert',
    'Bilden Sie die Signaturbasis nach RFC 9421 und signieren Sie diese: `"@method": …` und so weiter',
  ],
  base_charset: [
    'Die Signaturbasis wurde in einem anderen Zeichensatz signiert',
    'Die Signaturbasis wurde nicht als UTF-8 kodiert',
    'Kodieren Sie die Signaturbasis als UTF-8 (sie ist reines ASCII)',
  ],
  base_cavage: [
    'Ein Text im alten Format („signing string“) wurde signiert',
    'Der signierte Text hat das Format der Entwürfe vor RFC 9421',
    'Bilden Sie die Signaturbasis nach RFC 9421: `"@method": …` und so weiter',
  ],
  base_request_target: [
    'Das Request-Target wurde signiert, nicht die URL',
    'Die Signaturbasis enthält das Request-Target statt der vollständigen URL',
    'Signieren Sie `"@target-uri": ` und die vollständige URL',
  ],
  base_differs: [
    'Die Signaturbasis weicht ab',
    'Ihre Signaturbasis wurde signiert, aber der Dienst bildet eine andere',
    'Vergleichen Sie die beiden Texte an der ersten Stelle, an der sie sich unterscheiden',
  ],
  base_unrecognised: [
    'Der signierte Text ist unbekannt',
    'Diese Signatur stammt von einem registrierten Schlüssel, aber was er signiert hat, war nicht herauszufinden',
    'Lassen Sie sich die Bytes ausgeben, die Sie der Signierfunktion übergeben. Geben Sie diesen Text im Signatur-Debugger als Ihre Signaturbasis ein, oder vergleichen Sie ihn Zeile für Zeile mit der des Dienstes, bis zum letzten Byte',
  ],
  base_claimed_not_signed: [
    'Die angegebene Signaturbasis wurde nicht signiert',
    'Die Signaturbasis, die Sie angegeben haben, ist nicht der signierte Text',
    'Lassen Sie sich genau die Bytes ausgeben, die Sie der Signierfunktion übergeben',
  ],
  signature_hashed_twice: [
    'Die Signaturbasis wurde zweimal gehasht',
    'Sie haben die Signaturbasis gehasht, und die Signierfunktion hat diesen Hash noch einmal gehasht',
    'Übergeben Sie der Signierfunktion die Signaturbasis selbst, denn das Hashen übernimmt die Funktion',
  ],
  signature_of_hex_hash: [
    'Der Hash wurde als hexadezimaler Text signiert',
    'Signiert wurde der hexadezimale Text des Hashs, nicht die Signaturbasis selbst',
    'Übergeben Sie der Signierfunktion die Signaturbasis selbst, denn das Hashen übernimmt die Funktion',
  ],
  signature_of_base64_hash: [
    'Der Hash wurde als Base64-Text signiert',
    'Signiert wurde der Base64-Text des Hashs, nicht die Signaturbasis selbst',
    'Übergeben Sie der Signierfunktion die Signaturbasis selbst, denn das Hashen übernimmt die Funktion',
  ],
  signature_pss: [
    'Die Signatur verwendet RSA-PSS',
    'Die Signatur wurde mit RSA-PSS erstellt, aber der Dienst prüft mit RSASSA-PKCS1-v1_5',
    'Signieren Sie mit RSASSA-PKCS1-v1_5 und SHA-256',
  ],
  signature_pss_form: [
    'RSA-PSS wurde mit anderem Salt oder Hash verwendet',
    'Die Signatur wurde mit RSA-PSS erstellt, aber nicht mit der Hashfunktion und der Salt-Länge des Algorithmus',
    'Verwenden Sie für `rsa-pss-sha512` SHA-512 mit 64 Byte Salt und für `PS256` SHA-256 mit 32 Byte Salt, jeweils mit MGF1 und derselben Hashfunktion',
  ],
  signature_pkcs1: [
    'Die Signatur verwendet RSASSA-PKCS1-v1_5',
    'Die Signatur wurde mit RSASSA-PKCS1-v1_5 erstellt, aber nach dem Profil wird mit RSASSA-PSS geprüft',
    'Signieren Sie mit RSASSA-PSS, mit der Hashfunktion und der Salt-Länge des Algorithmus',
  ],
  signature_sha1: [
    'Die Signatur verwendet SHA-1',
    'Die Signatur wurde mit SHA-1 erstellt, aber der Dienst prüft mit SHA-256',
    'Signieren Sie mit SHA-256 (SHA256withRSA, RSA-SHA256)',
  ],
  signature_sha384: [
    'Die Signatur verwendet SHA-384',
    'Die Signatur wurde mit SHA-384 erstellt, aber der Dienst prüft mit SHA-256',
    'Signieren Sie mit SHA-256 (SHA256withRSA, RSA-SHA256)',
  ],
  signature_sha512: [
    'Die Signatur verwendet SHA-512',
    'Die Signatur wurde mit SHA-512 erstellt, aber der Dienst prüft mit SHA-256',
    'Signieren Sie mit SHA-256 (SHA256withRSA, RSA-SHA256)',
  ],
  signature_md5: [
    'Die Signatur verwendet MD5',
    'Die Signatur wurde mit MD5 erstellt, aber der Dienst prüft mit SHA-256',
    'Signieren Sie mit SHA-256 (SHA256withRSA, RSA-SHA256)',
  ],
  signature_no_digest_info: [
    'Der Hash wurde ohne gültiges DigestInfo signiert',
    'In der Signatur steht nach dem Padding nicht genau das DigestInfo, das RFC 8017 verlangt',
    'Verwenden Sie eine Funktion, die signiert, keine, die mit dem privaten Schlüssel verschlüsselt',
  ],
  signature_base64url: [
    'Die Signatur ist in Base64url oder ohne Padding',
    'Die Signatur ist nicht in Standard-Base64 mit Padding',
    'Verwenden Sie Standard-Base64 mit `+`, `/` und Padding',
  ],
  signature_double_base64: [
    'Die Signatur wurde mehrfach in Base64 kodiert',
    'Die Signatur wurde mehr als einmal in Base64 kodiert',
    'Kodieren Sie die Bytes der Signatur nur einmal',
  ],
  signature_hex: [
    'Die Signatur ist hexadezimal',
    'Die Signatur ist hexadezimal geschrieben, nicht in Base64',
    'Schreiben Sie die Bytes der Signatur in Base64',
  ],
  signature_url_encoded: [
    'Die Signatur ist URL-kodiert',
    'Das Base64 der Signatur ist URL-kodiert (mit %-Zeichen)',
    'Schreiben Sie das Base64 unverändert in den Header',
  ],
  signature_line_breaks: [
    'Die Signatur enthält Zeilenumbrüche',
    'Das Base64 der Signatur enthält Zeilenumbrüche oder Whitespace',
    'Kodieren Sie ohne Zeilenumbrüche: `base64 -w0`, NO_WRAP',
  ],
  signature_escaped: [
    'Die Signatur enthält Escape-Sequenzen',
    'Das Base64 der Signatur enthält Escape-Sequenzen wie für JSON, HTML oder E-Mail',
    'Schreiben Sie das Base64 unverändert in den Header',
  ],
  signature_plus_lost: [
    'Aus den Pluszeichen der Signatur wurden Leerzeichen',
    'In der Signatur stehen Leerzeichen, wo im Base64 Pluszeichen standen',
    'Schicken Sie den Header nicht durch einen Formular- oder URL-Decoder, denn der macht aus + ein Leerzeichen',
  ],
  signature_printed: [
    'Die Textausgabe eines Werts wurde als Signatur gesendet',
    'Der Header Signature enthält den Text, den eine Programmiersprache für den Wert ausgibt, nicht dessen Base64',
    "Wandeln Sie die Signatur in einen Base64-String um, in Python z.\u00A0B. mit .decode('ascii')",
  ],
  signature_other_kind: [
    'Die Signatur ist von anderer Art',
    'Die Signatur hat nicht die Länge und Form, die der Schlüssel des Clients ergibt',
    'Signieren Sie mit dem privaten Schlüssel: bei RSA mit RSASSA-PKCS1-v1_5 und SHA-256, bei Ed25519 mit Ed25519, bei ECDSA mit der Hashfunktion der Kurve',
  ],
  signature_der: [
    'Die ECDSA-Signatur ist in DER',
    'Die ECDSA-Signatur ist eine DER-SEQUENCE aus r und s, wie die meisten Bibliotheken sie schreiben',
    'Senden Sie r und s direkt hintereinander, je 32 Byte bei P-256 und je 48 Byte bei P-384 (IEEE P1363)',
  ],
  signature_other_hash: [
    'Die ECDSA-Signatur verwendet eine andere Hashfunktion',
    'Die Signatur wurde nicht mit der Hashfunktion des Schlüssels erstellt',
    'Signieren Sie bei P-256 mit SHA-256 und bei P-384 mit SHA-384',
  ],
  signature_hash_only: [
    'Der Hash wurde gesendet, keine Signatur',
    'Der Header Signature enthält den unsignierten Hash der Signaturbasis',
    'Signieren Sie die Signaturbasis mit dem privaten Schlüssel: bei RSA mit RSASSA-PKCS1-v1_5 und SHA-256, bei Ed25519 mit Ed25519, bei ECDSA mit der Hashfunktion der Kurve',
  ],
  signature_truncated: [
    'Die Signatur ist abgeschnitten',
    'Die Signatur ist kürzer als die Signaturen des registrierten Schlüssels',
    'Senden Sie die ganze Signatur und prüfen Sie, ob eine Datenbankspalte oder Variable sie abschneidet',
  ],
  signature_reversed: [
    'Die Bytes der Signatur stehen in umgekehrter Reihenfolge',
    'Die Bytes der Signatur stehen in umgekehrter Reihenfolge',
    'Kehren Sie die Bytes aus CryptSignHash von Windows um, bevor Sie sie kodieren',
  ],
  signature_form: [
    'Der Header Signature hat das falsche Format',
    'Der Header Signature hat nicht das Format `sig=:<base64>:`',
    'Schreiben Sie genau `sig=:<base64>:`',
  ],
  key_of_other_client: [
    'Der Schlüssel gehört einem anderen Client',
    'Die Signatur wurde mit dem Schlüssel eines anderen Clients erstellt',
    'Signieren Sie mit dem privaten Schlüssel des Clients in keyid, oder setzen Sie keyid auf den Client, dessen Schlüssel signiert',
  ],
  key_revoked: [
    'Der Schlüssel ist widerrufen',
    'Die Signatur wurde mit einem widerrufenen Schlüssel erstellt',
    'Signieren Sie mit dem aktuellen Schlüssel',
  ],
  key_retired: [
    'Der Schlüssel ist abgelaufen',
    'Die Signatur wurde mit einem abgelaufenen Schlüssel erstellt',
    'Signieren Sie mit dem aktuellen Schlüssel',
  ],
  key_of_other_environment: [
    'Der Schlüssel gehört zu einer anderen Umgebung',
    'Die Signatur wurde mit einem Schlüssel aus einer anderen Umgebung erstellt',
    'Signieren Sie mit dem Schlüssel, der in der aufgerufenen Umgebung registriert ist',
  ],
  key_unknown: [
    'Der Schlüssel ist unbekannt',
    'Die Signatur wurde mit einem Schlüssel erstellt, der nicht registriert ist',
    'Registrieren Sie den öffentlichen Schlüssel zu Ihrem privaten, oder signieren Sie mit dem registrierten Schlüssel',
  ],
  keyid_unknown: [
    'Die keyid ist keine bekannte Client-ID',
    'Kein Client hat diese Client-ID',
    'Kopieren Sie die Client-ID aus der Liste der API-Schlüssel',
  ],
  keyid_of_other_client: [
    'Die keyid nennt einen anderen Client',
    'Die keyid ist nicht die Client-ID des Clients, dessen Schlüssel signiert hat',
    'Verwenden Sie die Client-ID, für die der Schlüssel registriert ist',
  ],
  keyid_is_name: [
    'Die keyid ist ein Name, keine Client-ID',
    'Die keyid ist keine Client-ID',
    'Setzen Sie keyid auf die Client-ID, die in der Liste der API-Schlüssel steht',
  ],
  created_milliseconds: [
    'created ist in Millisekunden oder noch feiner angegeben',
    'Der Parameter created ist in Millisekunden angegeben, nicht in Sekunden',
    'Teilen Sie durch 1000 und lassen Sie die Nachkommastellen weg',
  ],
  created_fraction: [
    'created hat Nachkommastellen',
    'Der Parameter created hat Nachkommastellen',
    'Schreiben Sie created in ganzen Sekunden',
  ],
  created_format: [
    'created ist keine ganze Zahl',
    'Der Parameter created ist keine ganze Zahl',
    'Schreiben Sie created als Unix-Zeit in ganzen Sekunden, ohne Anführungszeichen',
  ],
  clock_off: [
    'Die Uhr geht falsch, oder die Anfrage war zu lange unterwegs',
    'Die Uhr des Absenders geht falsch, oder die Anfrage war zu lange unterwegs',
    'Stellen Sie die Uhr mit NTP und signieren Sie unmittelbar vor dem Senden',
  ],
  clock_expires: [
    'Die Signatur ist abgelaufen',
    'Als die Anfrage ankam, war der Zeitpunkt im Parameter expires schon vorbei',
    'Signieren Sie unmittelbar vor dem Senden und stellen Sie die Uhr mit NTP',
  ],
  clock_time_zone: [
    'Die Uhr geht um eine Zeitzone falsch',
    'Die Uhr des Absenders geht um eine Zeitzone falsch',
    'Nehmen Sie created aus einer Funktion, die Unix-Zeit liefert, z.\u00A0B. time.time(), Date.now() / 1000 oder Instant.now(), und schreiben Sie Date in GMT',
  ],
  date_read_twice: [
    'Date weicht um einige Sekunden vom signierten Wert ab',
    'Das signierte und das angekommene Date liegen einige Sekunden auseinander',
    'Bilden Sie den Wert von Date einmal, dann signieren und senden Sie genau diesen Text. Wenn Sie das schon tun, ersetzt Ihr HTTP-Client oder ein Proxy den Header. Konfigurieren Sie ihn so, dass Ihr Wert erhalten bleibt',
  ],
  date_format: [
    'Date wurde im falschen Format gesendet oder signiert',
    'Date ist kein HTTP-Datum',
    'Verwenden Sie das HTTP-Datumsformat, z.\u00A0B. `Tue, 20 Apr 2021 02:07:55 GMT`',
  ],
  date_time_zone: [
    'Date steht in einer anderen Zeitzone',
    'Date steht in einer anderen Zeitzone',
    'Schreiben Sie Date in UTC, mit GMT am Ende',
  ],
  date_differs: [
    'Date und created weichen voneinander ab',
    'Date und created liegen weiter auseinander als erlaubt',
    'Lesen Sie die Uhr einmal ab und verwenden Sie diese Zeit für Date und created',
  ],
  header_missing: [
    'Ein vorgeschriebener Header fehlt',
    'Ein vorgeschriebener Header kam nicht an',
    'Senden Sie den Header',
  ],
  header_stripped: [
    'Ein signierter Header ging verloren',
    'Ein signierter Header kam nicht an',
    'Prüfen Sie, ob Proxys und HTTP-Bibliotheken unterwegs den Header weiterleiten',
  ],
  header_repeated: [
    'Ein Header wurde mehrfach gesendet',
    'Ein Header kam mehrfach an',
    'Setzen Sie den Header nur einmal. Manche Bibliotheken fügen einen eigenen hinzu',
  ],
  header_folded: [
    'Ein Header ist auf mehrere Zeilen umbrochen',
    'Ein Header ist auf mehrere Zeilen umbrochen',
    'Schreiben Sie den Header in eine einzige Zeile',
  ],
  header_renamed: [
    'Ein Header kam unter anderem Namen an',
    'Ein Header kam unter einem anderen Namen an',
    'Senden Sie den Header unter seinem richtigen Namen',
  ],
  header_swapped: [
    'Signature und Signature-Input sind vertauscht',
    'Signature enthält die Parameter, und Signature-Input enthält die Signatur',
    'Senden Sie die Liste der Komponenten in Signature-Input und das Base64 in Signature',
  ],
  header_joined: [
    'Signature und Signature-Input stehen in einem einzigen Header',
    'Ein einziger Header enthält sowohl die Parameter als auch die Signatur',
    'Senden Sie zwei Header: Signature-Input mit der Liste der Komponenten, Signature mit dem Base64',
  ],
  signature_label: [
    'Die Signatur hat das falsche Label',
    'Das Label der Signatur muss `sig` sein',
    'Verwenden Sie in beiden Headern das Label `sig` und nur eine Signatur',
  ],
  signature_input_format: [
    'Signature-Input hat das falsche Format',
    'Signature-Input hat nicht das vorgeschriebene Format',
    'Schreiben Sie `sig=("@method" …);created=…;keyid="…";alg="rsa-v1_5-sha256"`',
  ],
  parameter_missing: [
    'Ein Parameter fehlt',
    'In Signature-Input fehlt ein Parameter',
    'Senden Sie created, keyid und alg',
  ],
  parameter_form: [
    'Ein Parameter ist falsch geschrieben',
    'Ein Parameter in Signature-Input ist falsch geschrieben',
    'Setzen Sie keyid und alg in doppelte Anführungszeichen und schreiben Sie created ohne',
  ],
  parameter_unknown: [
    'Signature-Input hat einen Parameter zu viel',
    'Signature-Input hat einen Parameter, der nicht erlaubt ist',
    'Senden Sie genau created, keyid und alg',
  ],
  key_of_other_algorithm: [
    'alg ist nicht der Algorithmus des Schlüssels',
    'Der Parameter alg nennt einen Algorithmus, der nicht zum Schlüssel des Clients passt',
    'Geben Sie den Algorithmus des Schlüssels an: "rsa-v1_5-sha256" für RSA, "ed25519" für Ed25519, "ecdsa-p256-sha256" für P-256, "ecdsa-p384-sha384" für P-384',
  ],
  algorithm_other: [
    'alg ist kein erlaubter Algorithmus',
    'Der Parameter alg nennt keinen erlaubten Algorithmus',
    'Geben Sie den Algorithmus des Schlüssels an: "rsa-v1_5-sha256" für RSA, "ed25519" für Ed25519, "ecdsa-p256-sha256" für P-256, "ecdsa-p384-sha384" für P-384',
  ],
  cavage_authorization: [
    'Die Signatur hat das alte Format',
    'Die Signatur hat das Format der Entwürfe vor RFC 9421',
    'Senden Sie Signature-Input und Signature nach RFC 9421',
  ],
  profile_other: [
    'Die Signatur folgt einem anderen Profil',
    'Die Signatur folgt einem anderen Profil von RFC 9421 als dem, für das der Client registriert ist',
    'Signieren Sie nach dem Profil des Clients, oder lassen Sie ihn für das Profil registrieren, nach dem er signiert',
  ],
  profile_selection: [
    'Keine Signatur passt zum Profil, oder mehrere passen',
    'Nach Label, Tag und Komponenten wählt das Profil genau eine Signatur aus, aber es passt keine oder mehr als eine',
    'Senden Sie genau eine Signatur, so wie das Profil es vorschreibt',
  ],
  profile_left_open: [
    'Die Signatur deckt nicht alles ab, was diese Route verlangt',
    'Die Signatur folgt dem Profil, aber die API verlangt, dass sie mehr abdeckt',
    'Signieren Sie die Methode, die ganze URL und, wenn es einen Body gibt, dessen Digest',
  ],
  profile_agent: [
    'Signature-Agent nennt ein anderes Schlüsselverzeichnis',
    'Der signierte Signature-Agent nennt nicht das Verzeichnis, aus dem die Schlüssel des Clients stammen',
    'Senden und signieren Sie Signature-Agent mit der URL des registrierten Schlüsselverzeichnisses',
  ],
  request_malformed: [
    'Die Methode oder URL ist ungültig',
    'HTTP erlaubt diese Methode oder URL nicht',
    'Senden Sie eine gültige Methode und eine absolute URL aus sichtbaren ASCII-Zeichen, ohne Fragment',
  ],
  request_replayed: [
    'Die Signatur wurde schon verwendet',
    'Die Signatur ist gültig, wurde aber schon verwendet',
    'Signieren Sie jede Anfrage und jeden erneuten Versuch einzeln',
  ],
};
