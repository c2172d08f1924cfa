import type { ProblemCode } from '@countersign/contract/problems';

/** The problems of the contract in German: what is wrong, and what to do. */
export const problemTexts: Readonly<Record<ProblemCode, readonly [title: string, detail: string]>> = {
  request_malformed: [
    'Die Anfrage ist fehlerhaft aufgebaut',
    'Senden Sie eine wohlgeformte HTTP/1.1-Anfrage mit genau einem Host-Header, der diesen Dienst nennt, und einem Ziel, das mit „/“ beginnt und kein Fragment hat.',
  ],
  uri_too_long: ['Die URL ist zu lang', 'Kürzen Sie Pfad und Query auf höchstens 8.192 Bytes.'],
  headers_too_large: [
    'Die Header sind zu groß',
    'Senden Sie höchstens 100 Header-Zeilen und 16.384 Bytes an Headern, davon je höchstens 4.096 Bytes in Signature-Input und Signature.',
  ],
  too_many_failures: [
    'Zu viele Anfragen von dieser Adresse sind fehlgeschlagen',
    'Stoppen Sie, was von dieser Adresse Anfragen ohne gültige Signatur sendet. Signieren Sie diese Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  ],
  signature_missing: [
    'Die Anfrage ist nicht signiert',
    'Signieren Sie die Anfrage und senden Sie Signature-Input und Signature je genau einmal.',
  ],
  signature_malformed: [
    'Die Signatur-Header sind fehlerhaft',
    'Senden Sie in Signature-Input und in Signature genau ein Element namens sig, ohne zusätzliche Leerzeichen und mit vollständigem Base64.',
  ],
  signature_not_selected: [
    'Keine Signatur folgt dem Profil des Clients',
    'Signieren Sie mit dem Label oder dem Tag, das das Profil des Clients auswählt. Accept-Signature nennt es, sobald Ihr Schlüssel nachgewiesen ist.',
  ],
  signature_ambiguous: [
    'Mehrere Signaturen kommen infrage',
    'Senden Sie genau eine Signatur, die ein Profil dieses Dienstes über ihr Label oder ihren Tag auswählt.',
  ],
  parameters_invalid: [
    'Die Signaturparameter sind falsch',
    'Signieren Sie mit genau den Parametern created, keyid und alg, je einmal, und mit nonce nur dort, wo dieser Dienst eine verlangt.',
  ],
  algorithm_not_allowed: [
    'Der Algorithmus ist nicht erlaubt',
    'Signieren Sie mit dem Algorithmus Ihres Schlüssels: RSASSA-PKCS1-v1_5 mit SHA-256 (alg="rsa-v1_5-sha256"), Ed25519 (alg="ed25519"), ECDSA über P-256 mit SHA-256 (alg="ecdsa-p256-sha256") oder ECDSA über P-384 mit SHA-384 (alg="ecdsa-p384-sha384").',
  ],
  components_invalid: [
    'Die Signatur deckt die falschen Komponenten ab',
    'Decken Sie genau die Komponenten ab, die der Header Accept-Signature dieser Antwort nennt, in dieser Reihenfolge und ohne Parameter.',
  ],
  created_expired: [
    'Die Signatur ist zu alt',
    'Signieren Sie jede Anfrage unmittelbar vor dem Senden und prüfen Sie die Uhr des signierenden Rechners: created darf höchstens 300 Sekunden vor serverTime liegen.',
  ],
  created_in_future: [
    'Die Signatur wurde in der Zukunft erstellt',
    'Stellen Sie die Uhr des signierenden Rechners richtig: created darf höchstens 60 Sekunden nach serverTime liegen.',
  ],
  signature_expired: [
    'Die Signatur ist abgelaufen',
    'Signieren Sie jede Anfrage unmittelbar vor dem Senden, mit einem expires, das zur Zeit serverTime noch bevorsteht, und prüfen Sie die Uhr des signierenden Rechners.',
  ],
  date_invalid: [
    'Der Date-Header fehlt oder ist fehlerhaft',
    'Senden Sie Date genau einmal, in der Form „Tue, 20 Apr 2021 02:07:55 GMT“.',
  ],
  date_mismatch: [
    'Date und created weichen voneinander ab',
    'Setzen Sie Date und created aus derselben Zeitabfrage: Sie dürfen höchstens 60 Sekunden auseinanderliegen.',
  ],
  signature_invalid: [
    'Die Signatur ist ungültig',
    'Prüfen Sie, ob keyid Ihre Client-ID ist, ob Ihr öffentlicher Schlüssel registriert und noch gültig ist und ob Sie genau die Methode, die URL und die Header signiert haben, die Sie senden.',
  ],
  directory_mismatch: [
    'Signature-Agent nennt ein anderes Schlüsselverzeichnis als das des Clients',
    'Senden Sie einen Signature-Agent, der das Schlüsselverzeichnis des Clients nennt, und decken Sie ihn ab, oder lassen Sie einen Administrator Ihres Kontos das Verzeichnis ändern.',
  ],
  profile_not_accepted: [
    'Das Profil des Clients wird hier nicht angenommen',
    'Neu zu signieren hilft nicht. Der Betreiber dieses Dienstes kann das Profil des Clients hier zulassen oder dem Client ein anderes Profil geben.',
  ],
  client_disabled: [
    'Der Client ist deaktiviert',
    'Ein Administrator Ihres Kontos kann diesen Client aktivieren.',
  ],
  account_suspended: [
    'Das Konto ist gesperrt',
    'Fragen Sie den Betreiber des Dienstes, warum Ihr Konto gesperrt ist.',
  ],
  network_not_allowed: [
    'Die Quelladresse ist nicht erlaubt',
    'Rufen Sie von einer Adresse auf der Netzwerk-Whitelist des Clients auf, oder lassen Sie einen Administrator Ihres Kontos Ihre Adresse hinzufügen.',
  ],
  permission_denied: [
    'Keine Rolle erlaubt diese Operation',
    'Ein Administrator Ihres Kontos kann dem Client eine Rolle geben, die diese Operation erlaubt.',
  ],
  rate_limited: [
    'Der Client hat zu viele Anfragen gesendet',
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal. RateLimit-Policy und RateLimit nennen das Limit.',
  ],
  body_too_large: [
    'Der Body ist zu groß',
    'Senden Sie einen kleineren Body. Die Grenze ist 1 MiB, wenn der Betreiber dieses Dienstes sie nicht geändert hat.',
  ],
  digest_missing: [
    'Content-Digest fehlt',
    'Senden Sie mit jeder Anfrage, die einen Body hat, genau einen Content-Digest und decken Sie ihn mit der Signatur ab.',
  ],
  digest_malformed: [
    'Content-Digest ist fehlerhaft',
    'Senden Sie Content-Digest als „sha-256=:<Base64 des SHA-256 des Bodys>:“, ohne weiteren Algorithmus und ohne Leerzeichen.',
  ],
  digest_mismatch: [
    'Der Body passt nicht zu Content-Digest',
    'Berechnen Sie Content-Digest über genau die Bytes des Bodys, die Sie senden.',
  ],
  signature_replayed: [
    'Die Signatur wurde schon verwendet',
    'Signieren Sie jede Anfrage einzeln. Sind zwei Anfragen sonst gleich, verwenden Sie ein späteres created.',
  ],
  not_found: [
    'Nicht gefunden',
    'Prüfen Sie den Pfad und die IDs darin: Die Ressource gibt es nicht, oder sie gehört zu einem anderen Konto.',
  ],
  method_not_allowed: [
    'Die Methode ist hier nicht erlaubt',
    'Verwenden Sie eine der Methoden aus dem Allow-Header dieser Antwort.',
  ],
  content_type_unsupported: [
    'Der Content-Type wird nicht unterstützt',
    'Senden Sie den Body als JSON in UTF-8, mit dem Header Content-Type: application/json.',
  ],
  body_invalid: [
    'Der Body ist ungültig',
    'Korrigieren Sie die Felder, die errors mit ihrem JSON Pointer nennt, und signieren Sie die korrigierte Anfrage.',
  ],
  query_invalid: [
    'Die Query ist ungültig',
    'Senden Sie nur Parameter, die diese Operation kennt, je einmal und innerhalb ihrer Grenzen.',
  ],
  cursor_invalid: [
    'Der Cursor ist ungültig',
    'Senden Sie nextCursor der vorherigen Seite unverändert, oder lassen Sie cursor weg, um mit der ersten Seite zu beginnen.',
  ],
  payment_not_cancellable: [
    'Die Zahlung kann nicht storniert werden',
    'Nur eine ausstehende Zahlung kann storniert werden. Lesen Sie die Zahlung, um ihren Status zu sehen.',
  ],
  private_key_refused: [
    'Der Body enthält einen privaten Schlüssel',
    'Erzeugen Sie ein neues Schlüsselpaar und senden Sie nur den öffentlichen Schlüssel. Ein privater Schlüssel, der gesendet wurde, gilt als kompromittiert.',
  ],
  permission_not_held: [
    'Sie können keine Berechtigung vergeben, die Sie nicht haben',
    'Vergeben Sie nur, was Ihre eigenen Rollen erlauben, oder fragen Sie jemanden, dessen Rollen mehr erlauben.',
  ],
  client_id_taken: [
    'Die Client-ID ist schon vergeben',
    'Wählen Sie eine andere Client-ID, oder lassen Sie sie weg, damit eine erzeugt wird. Eine Client-ID wird nie wiederverwendet.',
  ],
  client_state_conflict: [
    'Der Zustand des Clients erlaubt das nicht',
    'Lesen Sie den Client, um seinen Zustand zu sehen: Ein widerrufener Client kann nur wiederhergestellt werden, und nur ein widerrufener kann das.',
  ],
  account_state_conflict: [
    'Der Zustand des Kontos erlaubt das nicht',
    'Lesen Sie das Konto, um seinen Zustand zu sehen: Ein gesperrtes Konto kann fortgesetzt oder geschlossen werden, ein geschlossenes bleibt geschlossen.',
  ],
  key_registered: [
    'Der Schlüssel ist in diesem Konto schon registriert',
    'Erzeugen Sie ein neues Schlüsselpaar. Ein Schlüssel kann in einem Konto nur einmal registriert werden, auch wenn er widerrufen wurde.',
  ],
  keys_too_many: [
    'Der Client hat schon zwei verwendbare Schlüssel',
    'Warten Sie, bis der alte Schlüssel abgelaufen ist, oder widerrufen Sie ihn. Fügen Sie dann den neuen hinzu.',
  ],
  key_not_for_profile: [
    'Das Profil des Clients signiert nicht mit solchen Schlüsseln',
    'Wählen Sie einen Schlüssel der Art, mit der das Profil signiert, oder ein anderes Profil. GET /v1/profiles nennt die Algorithmen aller Profile.',
  ],
  directory_url_not_allowed: [
    'Von dieser URL kann kein Schlüsselverzeichnis gelesen werden',
    'Korrigieren Sie die URL, wie die Begründung es nennt: https, Port 443, ein öffentlicher Hostname, in ihrer normalen Form, ohne Benutzernamen und Fragment.',
  ],
  webhooks_too_many: [
    'Das Konto hat schon 20 Webhooks',
    'Entfernen Sie einen, der nicht mehr gebraucht wird, oder lassen Sie einen Webhook mehr Ereignistypen empfangen.',
  ],
  alert_rules_too_many: [
    'Das Konto hat schon 50 Alarmregeln',
    'Entfernen Sie eine, die nicht mehr gebraucht wird, oder lassen Sie eine Regel das ganze Konto beobachten.',
  ],
  key_state_conflict: [
    'Der Zustand des Schlüssels erlaubt das nicht',
    'Lesen Sie den Schlüssel, um seinen Zustand zu sehen: Ein abgelaufener oder widerrufener Schlüssel kann nicht geändert werden, und ein Client kann seinen letzten eigenen Schlüssel nicht ausmustern.',
  ],
  network_entry_taken: [
    'Der Eintrag steht schon auf der Whitelist',
    'Lesen Sie die Netzwerk-Whitelist, um ihre Einträge in normaler Form zu sehen.',
  ],
  network_entry_last: [
    'Der letzte Eintrag der Whitelist kann nicht entfernt werden',
    'Fügen Sie zuerst einen anderen Eintrag hinzu, ersetzen Sie die Whitelist oder deaktivieren Sie den Client.',
  ],
  network_whitelist_full: [
    'Die Whitelist ist voll',
    'Entfernen Sie Einträge, oder fassen Sie Adressen zu Netzen zusammen: Eine Whitelist hat höchstens 1.000 Einträge.',
  ],
  role_name_taken: [
    'Der Rollenname ist schon vergeben',
    'Wählen Sie einen Namen, den keine eingebaute und keine andere Rolle des Kontos hat.',
  ],
  role_built_in: [
    'Eingebaute Rollen können nicht geändert werden',
    'Legen Sie eine eigene Rolle mit den Berechtigungen an, die Sie brauchen.',
  ],
  role_in_use: [
    'Die Rolle wird noch verwendet',
    'Entfernen Sie sie von allen Clients, geben Sie Mitgliedern mit dieser Rolle eine andere, und ziehen Sie Einladungen mit ihr zurück. Löschen Sie sie dann.',
  ],
  precondition_required: [
    'If-Match fehlt',
    'Lesen Sie die Ressource, entscheiden Sie, und senden Sie mit der Änderung ihr ETag in If-Match.',
  ],
  precondition_failed: [
    'Die Ressource hat sich geändert',
    'Lesen Sie die Ressource neu, prüfen Sie, ob die Änderung noch sinnvoll ist, und senden Sie ihr neues ETag in If-Match.',
  ],
  second_person_required: [
    'Eine zweite Person ist nötig',
    'In diesem Konto muss eine zweite Person die Änderung freigeben. Eine Person muss sie einzeln im Portal beantragen, und jemand anders muss sie freigeben.',
  ],
  second_person_missing: [
    'Niemand anders könnte Änderungen freigeben',
    'Geben Sie zuerst einer zweiten Person eine Rolle, die die Sicherheitsrichtlinie ändern darf. Sonst könnte niemand Ihre Änderungen freigeben.',
  ],
  pending_changes_too_many: [
    'Zu viele Änderungen stehen aus',
    'Geben Sie zuerst einige der ausstehenden Änderungen frei, lehnen Sie sie ab, oder ziehen Sie sie zurück.',
  ],
  pending_change_decided: [
    'Die Änderung steht nicht mehr aus',
    'Sie wurde freigegeben, abgelehnt oder zurückgezogen, oder sie ist verfallen. Beantragen Sie sie noch einmal, wenn sie weiterhin nötig ist.',
  ],
  pending_change_failed: [
    'Die freigegebene Änderung war nicht mehr möglich',
    'Seit dem Antrag hat sich etwas geändert. Es wurde nichts ausgeführt, und die Änderung steht nicht mehr aus. Beantragen Sie sie noch einmal, wenn sie weiterhin nötig ist.',
  ],
  last_owner: [
    'Der letzte Inhaber kann nicht entfernt werden',
    'Machen Sie zuerst jemand anderen zum Inhaber: Jedes Konto braucht einen.',
  ],
  member_exists: [
    'Diese Person ist schon Mitglied',
    'Ändern Sie die Rolle des Mitglieds, um ihm eine andere zu geben.',
  ],
  invitation_pending: [
    'Für diese Adresse gibt es schon eine offene Einladung',
    'Senden Sie die Einladung erneut, oder brechen Sie sie zuerst ab.',
  ],
  invitations_too_many: [
    'Zu viele offene Einladungen',
    'Brechen Sie Einladungen ab, die nicht mehr gebraucht werden: Ein Konto kann höchstens 100 gleichzeitig haben.',
  ],
  session_required: [
    'Niemand ist angemeldet',
    'Melden Sie sich im Portal an. Die Sitzung ist abgelaufen, oder es gab keine.',
  ],
  credentials_invalid: [
    'Die Anmeldung ist fehlgeschlagen',
    'Prüfen Sie E-Mail-Adresse und Passwort, oder setzen Sie das Passwort über den Link auf der Anmeldeseite zurück.',
  ],
  second_factor_invalid: [
    'Der Code oder der Passkey wurde nicht angenommen',
    'Geben Sie den Code ein, den Ihre Authenticator-App jetzt zeigt, oder einen unbenutzten Wiederherstellungscode. Jeder Code gilt einmal.',
  ],
  portal_network_not_allowed: [
    'Dieses Konto ist von Ihrer Adresse aus nicht nutzbar',
    'Nutzen Sie ein Netz, das das Konto erlaubt, oder lassen Sie einen Inhaber, einen Administrator oder den Betreiber Ihre Adresse hinzufügen.',
  ],
  own_address_excluded: [
    'Die Liste enthält Ihre eigene Adresse nicht',
    'Nehmen Sie die Adresse, die Sie gerade nutzen, in die Liste auf, oder speichern Sie von einer Adresse aus, die darin steht.',
  ],
  second_factor_required: [
    'Dieses Konto verlangt einen zweiten Faktor',
    'Fügen Sie unter Einstellungen > Mein Profil eine Authenticator-App oder einen Passkey hinzu, und versuchen Sie es dann noch einmal.',
  ],
  step_up_required: [
    'Sie müssen Ihre Identität noch einmal bestätigen',
    'Bestätigen Sie sie mit einer der Methoden, die methods nennt, und versuchen Sie es noch einmal. Die Bestätigung gilt 10 Minuten.',
  ],
  cross_site_request: [
    'Die Anfrage kommt von einer anderen Website',
    'Benutzen Sie das Portal unter seiner eigenen Adresse. Anfragen mit Sitzung müssen von dort kommen und, wenn sie etwas ändern, den Header Countersign-CSRF: 1 tragen.',
  ],
  too_many_attempts: [
    'Zu viele Fehlversuche',
    'Versuchen Sie es nach Retry-After Sekunden noch einmal. Bestehende Sitzungen sind nicht betroffen.',
  ],
  link_invalid: [
    'Der Link funktioniert nicht mehr',
    'Fordern Sie einen neuen Link an. Jeder Link gilt einmal und für begrenzte Zeit.',
  ],
  password_too_weak: [
    'Das Passwort ist zu leicht zu erraten',
    'Wählen Sie 12 bis 128 Zeichen, die weder ein bekanntes Passwort noch Ihr Name, Ihre E-Mail-Adresse oder der Name dieses Dienstes sind.',
  ],
  password_breached: [
    'Das Passwort ist irgendwo bekannt geworden',
    'Dieses Passwort steht in einer Liste bekannt gewordener Passwörter, die Angreifer zuerst probieren. Wählen Sie eines, das Sie nie verwendet haben, etwa vier Wörter ohne Zusammenhang, und ändern Sie es auch überall sonst.',
  ],
  idempotency_key_malformed: [
    'Der Header Idempotency-Key ist fehlerhaft',
    'Senden Sie Idempotency-Key höchstens einmal, mit 1 bis 128 Buchstaben, Ziffern oder Zeichen aus „-._~:+/=“, mit oder ohne Anführungszeichen.',
  ],
  idempotency_key_in_use: [
    'Eine Anfrage mit diesem Idempotency-Key läuft noch',
    'Warten Sie eine Sekunde, und wiederholen Sie die Anfrage, um die Antwort auf die erste zu erhalten.',
  ],
  idempotency_key_reused: [
    'Der Idempotency-Key wurde für eine andere Anfrage verwendet',
    'Verwenden Sie für jede neue Anfrage einen neuen Idempotency-Key, und denselben nur, um dieselbe Anfrage zu wiederholen.',
  ],
  path_ambiguous: [
    'Der Pfad ist mehrdeutig',
    'Senden Sie den Pfad in einfacher Form: ohne kodierte oder doppelte Schrägstriche, Punktsegmente, Backslashes oder Semikolons, und in der Groß- und Kleinschreibung, die die API dokumentiert.',
  ],
  body_unseen: [
    'Der Body kann hier nicht geprüft werden',
    'Senden Sie die Anfrage ohne Body, oder lassen Sie den Betreiber dieses Dienstes den Proxy so einrichten, dass er Bodys weitergibt.',
  ],
  upgrade_refused: [
    'Die Verbindung kann hier nicht umgestellt werden',
    'Senden Sie die Anfrage ohne den Header Upgrade: Dieser Pfad wechselt nicht zu einem anderen Protokoll.',
  ],
  upstream_unavailable: [
    'Die API ist nicht erreichbar',
    'Signieren Sie die Anfrage neu und senden Sie sie später noch einmal. Sie hat die API nicht erreicht, also wurde nichts ausgeführt.',
  ],
  upstream_failed: [
    'Die API hat keine gültige Antwort gesendet',
    'Die Anfrage hat die API erreicht, aber die Antwort ging verloren. Stellen Sie fest, ob sie ausgeführt wurde, bevor Sie sie wiederholen.',
  ],
  upstream_busy: [
    'Zu viele Anfragen warten auf die API',
    'Es wurde nichts ausgeführt. Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  ],
  upstream_timeout: [
    'Die API hat nicht rechtzeitig geantwortet',
    'Die Anfrage hat die API erreicht und läuft vielleicht noch. Stellen Sie fest, ob sie ausgeführt wurde, bevor Sie sie wiederholen.',
  ],
  guard_unavailable: [
    'Der Replay-Schutz antwortet nicht',
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  ],
  guard_full: [
    'Der Replay-Schutz ist voll',
    'Senden Sie weniger Anfragen. Signieren Sie diese neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  ],
  recently_restarted: [
    'Der Dienst wurde gerade neu gestartet',
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal. Signaturen aus der Zeit vor dem Neustart werden abgelehnt.',
  ],
  registry_stale: [
    'Die Client-Registry ist nicht auf dem neuesten Stand',
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  ],
  storage_unavailable: [
    'Der Speicher antwortet nicht',
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  ],
  outcome_unknown: [
    'Das Ergebnis ist unbekannt',
    'Signieren Sie die Anfrage neu und wiederholen Sie sie mit demselben Idempotency-Key oder If-Match. Ohne beides lesen Sie zuerst die Ressource, um zu sehen, ob die Änderung ausgeführt wurde.',
  ],
  shutting_down: [
    'Der Dienst wird gerade beendet',
    'Signieren Sie die Anfrage neu und wiederholen Sie sie über eine neue Verbindung.',
  ],
  request_timeout: [
    'Die Anfrage hat zu lange gedauert',
    'Senden Sie die Header innerhalb von 10 Sekunden und die ganze Anfrage innerhalb von 30 Sekunden.',
  ],
  internal_error: [
    'Interner Fehler',
    'Wenden Sie sich an den Betreiber dieses Dienstes, und nennen Sie ihm die requestId dieser Antwort.',
  ],
};
