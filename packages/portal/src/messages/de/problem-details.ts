import type { ProblemCode } from '@countersign/contract/problems';

/** Returns the advice of a problem code; undefined for a code that only a newer service knows. */
export function problemDetail(code: string): string | undefined {
  return Object.hasOwn(details, code) ? details[code as ProblemCode] : undefined;
}

/** The problems of the contract in German: what to do. */
const details: Readonly<Record<ProblemCode, string>> = {
  request_malformed:
    'Senden Sie eine wohlgeformte HTTP/1.1-Anfrage mit genau einem Host-Header, der diesen Dienst nennt, und einem Ziel, das mit „/“ beginnt und kein Fragment hat.',
  uri_too_long: 'Kürzen Sie Pfad und Query auf höchstens 8.192 Bytes.',
  headers_too_large:
    'Senden Sie höchstens 100 Header-Zeilen und 16.384 Bytes an Headern, davon je höchstens 4.096 Bytes in Signature-Input und Signature.',
  too_many_failures:
    'Stoppen Sie, was von dieser Adresse Anfragen ohne gültige Signatur sendet. Signieren Sie diese Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  signature_missing:
    'Signieren Sie die Anfrage und senden Sie Signature-Input und Signature je genau einmal.',
  signature_malformed:
    'Senden Sie in Signature-Input und in Signature genau ein Element namens sig, ohne zusätzliche Leerzeichen und mit vollständigem Base64.',
  signature_not_selected:
    'Signieren Sie mit dem Label oder dem Tag, das das Profil des Clients auswählt. Accept-Signature nennt es, sobald Ihr Schlüssel nachgewiesen ist.',
  signature_ambiguous:
    'Senden Sie genau eine Signatur, die ein Profil dieses Dienstes über ihr Label oder ihren Tag auswählt.',
  parameters_invalid:
    'Signieren Sie mit genau den Parametern created, keyid und alg, je einmal, und mit nonce nur dort, wo dieser Dienst eine verlangt.',
  algorithm_not_allowed:
    'Signieren Sie mit dem Algorithmus Ihres Schlüssels: RSASSA-PKCS1-v1_5 mit SHA-256 (alg="rsa-v1_5-sha256"), Ed25519 (alg="ed25519"), ECDSA über P-256 mit SHA-256 (alg="ecdsa-p256-sha256") oder ECDSA über P-384 mit SHA-384 (alg="ecdsa-p384-sha384").',
  components_invalid:
    'Decken Sie genau die Komponenten ab, die der Header Accept-Signature dieser Antwort nennt, in dieser Reihenfolge und ohne Parameter.',
  created_expired:
    'Signieren Sie jede Anfrage unmittelbar vor dem Senden und prüfen Sie die Uhr des signierenden Rechners: created darf höchstens 300 Sekunden vor serverTime liegen.',
  created_in_future:
    'Stellen Sie die Uhr des signierenden Rechners richtig: created darf höchstens 60 Sekunden nach serverTime liegen.',
  signature_expired:
    'Signieren Sie jede Anfrage unmittelbar vor dem Senden, mit einem expires, das zur Zeit serverTime noch bevorsteht, und prüfen Sie die Uhr des signierenden Rechners.',
  date_invalid: 'Senden Sie Date genau einmal, in der Form „Tue, 20 Apr 2021 02:07:55 GMT“.',
  date_mismatch:
    'Setzen Sie Date und created aus derselben Zeitabfrage: Sie dürfen höchstens 60 Sekunden auseinanderliegen.',
  signature_invalid:
    'Prüfen Sie, ob keyid Ihre Client-ID ist, ob Ihr öffentlicher Schlüssel registriert und noch gültig ist und ob Sie genau die Methode, die URL und die Header signiert haben, die Sie senden.',
  directory_mismatch:
    'Senden Sie einen Signature-Agent, der das Schlüsselverzeichnis des Clients nennt, und decken Sie ihn ab, oder lassen Sie einen Administrator Ihres Kontos das Verzeichnis ändern.',
  profile_not_accepted:
    'Neu zu signieren hilft nicht. Der Betreiber dieses Dienstes kann das Profil des Clients hier zulassen oder dem Client ein anderes Profil geben.',
  client_disabled: 'Ein Administrator Ihres Kontos kann diesen Client aktivieren.',
  account_suspended: 'Fragen Sie den Betreiber des Dienstes, warum Ihr Konto gesperrt ist.',
  network_not_allowed:
    'Rufen Sie von einer Adresse auf der Netzwerk-Whitelist des Clients auf, oder lassen Sie einen Administrator Ihres Kontos Ihre Adresse hinzufügen.',
  permission_denied:
    'Ein Administrator Ihres Kontos kann dem Client eine Rolle geben, die diese Operation erlaubt.',
  rate_limited:
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal. RateLimit-Policy und RateLimit nennen das Limit.',
  body_too_large:
    'Senden Sie einen kleineren Body. Die Grenze ist 1 MiB, wenn der Betreiber dieses Dienstes sie nicht geändert hat.',
  digest_missing:
    'Senden Sie mit jeder Anfrage, die einen Body hat, genau einen Content-Digest und decken Sie ihn mit der Signatur ab.',
  digest_malformed:
    'Senden Sie Content-Digest als „sha-256=:<Base64 des SHA-256 des Bodys>:“, ohne weiteren Algorithmus und ohne Leerzeichen.',
  digest_mismatch: 'Berechnen Sie Content-Digest über genau die Bytes des Bodys, die Sie senden.',
  signature_replayed:
    'Signieren Sie jede Anfrage einzeln. Sind zwei Anfragen sonst gleich, verwenden Sie ein späteres created.',
  not_found:
    'Prüfen Sie den Pfad und die IDs darin: Die Ressource gibt es nicht, oder sie gehört zu einem anderen Konto.',
  method_not_allowed: 'Verwenden Sie eine der Methoden aus dem Allow-Header dieser Antwort.',
  content_type_unsupported:
    'Senden Sie den Body als JSON in UTF-8, mit dem Header Content-Type: application/json.',
  body_invalid:
    'Korrigieren Sie die Felder, die errors mit ihrem JSON Pointer nennt, und signieren Sie die korrigierte Anfrage.',
  query_invalid:
    'Senden Sie nur Parameter, die diese Operation kennt, je einmal und innerhalb ihrer Grenzen.',
  cursor_invalid:
    'Senden Sie nextCursor der vorherigen Seite unverändert, oder lassen Sie cursor weg, um mit der ersten Seite zu beginnen.',
  payment_not_cancellable:
    'Nur eine ausstehende Zahlung kann storniert werden. Lesen Sie die Zahlung, um ihren Status zu sehen.',
  private_key_refused:
    'Erzeugen Sie ein neues Schlüsselpaar und senden Sie nur den öffentlichen Schlüssel. Ein privater Schlüssel, der gesendet wurde, gilt als kompromittiert.',
  permission_not_held:
    'Vergeben Sie nur, was Ihre eigenen Rollen erlauben, oder fragen Sie jemanden, dessen Rollen mehr erlauben.',
  client_id_taken:
    'Wählen Sie eine andere Client-ID, oder lassen Sie sie weg, damit eine erzeugt wird. Eine Client-ID wird nie wiederverwendet.',
  client_state_conflict:
    'Lesen Sie den Client, um seinen Zustand zu sehen: Ein widerrufener Client kann nur wiederhergestellt werden, und nur ein widerrufener kann das.',
  account_state_conflict:
    'Lesen Sie das Konto, um seinen Zustand zu sehen: Ein gesperrtes Konto kann fortgesetzt oder geschlossen werden, ein geschlossenes bleibt geschlossen.',
  key_registered:
    'Erzeugen Sie ein neues Schlüsselpaar. Ein Schlüssel kann in einem Konto nur einmal registriert werden, auch wenn er widerrufen wurde.',
  keys_too_many:
    'Warten Sie, bis der alte Schlüssel abgelaufen ist, oder widerrufen Sie ihn. Fügen Sie dann den neuen hinzu.',
  key_not_for_profile:
    'Wählen Sie einen Schlüssel der Art, mit der das Profil signiert, oder ein anderes Profil. GET /v1/profiles nennt die Algorithmen aller Profile.',
  directory_url_not_allowed:
    'Korrigieren Sie die URL, wie die Begründung es nennt: https, Port 443, ein öffentlicher Hostname, in ihrer normalen Form, ohne Benutzernamen und Fragment.',
  webhooks_too_many:
    'Entfernen Sie einen, der nicht mehr gebraucht wird, oder lassen Sie einen Webhook mehr Ereignistypen empfangen.',
  alert_rules_too_many:
    'Entfernen Sie eine, die nicht mehr gebraucht wird, oder lassen Sie eine Regel das ganze Konto beobachten.',
  key_state_conflict:
    'Lesen Sie den Schlüssel, um seinen Zustand zu sehen: Ein abgelaufener oder widerrufener Schlüssel kann nicht geändert werden, und ein Client kann seinen letzten eigenen Schlüssel nicht ausmustern.',
  network_entry_taken: 'Lesen Sie die Netzwerk-Whitelist, um ihre Einträge in normaler Form zu sehen.',
  network_entry_last:
    'Fügen Sie zuerst einen anderen Eintrag hinzu, ersetzen Sie die Whitelist oder deaktivieren Sie den Client.',
  network_whitelist_full:
    'Entfernen Sie Einträge, oder fassen Sie Adressen zu Netzen zusammen: Eine Whitelist hat höchstens 1.000 Einträge.',
  role_name_taken: 'Wählen Sie einen Namen, den keine eingebaute und keine andere Rolle des Kontos hat.',
  role_built_in: 'Legen Sie eine eigene Rolle mit den Berechtigungen an, die Sie brauchen.',
  role_in_use:
    'Entfernen Sie sie von allen Clients, geben Sie Mitgliedern mit dieser Rolle eine andere, und ziehen Sie Einladungen mit ihr zurück. Löschen Sie sie dann.',
  precondition_required:
    'Lesen Sie die Ressource, entscheiden Sie, und senden Sie mit der Änderung ihr ETag in If-Match.',
  precondition_failed:
    'Lesen Sie die Ressource neu, prüfen Sie, ob die Änderung noch sinnvoll ist, und senden Sie ihr neues ETag in If-Match.',
  second_person_required:
    'In diesem Konto muss eine zweite Person die Änderung freigeben. Eine Person muss sie einzeln im Portal beantragen, und jemand anders muss sie freigeben.',
  second_person_missing:
    'Geben Sie zuerst einer zweiten Person eine Rolle, die die Sicherheitsrichtlinie ändern darf. Sonst könnte niemand Ihre Änderungen freigeben.',
  pending_changes_too_many:
    'Geben Sie zuerst einige der ausstehenden Änderungen frei, lehnen Sie sie ab, oder ziehen Sie sie zurück.',
  pending_change_decided:
    'Sie wurde freigegeben, abgelehnt oder zurückgezogen, oder sie ist verfallen. Beantragen Sie sie noch einmal, wenn sie weiterhin nötig ist.',
  pending_change_failed:
    'Seit dem Antrag hat sich etwas geändert. Es wurde nichts ausgeführt, und die Änderung steht nicht mehr aus. Beantragen Sie sie noch einmal, wenn sie weiterhin nötig ist.',
  last_owner: 'Machen Sie zuerst jemand anderen zum Inhaber: Jedes Konto braucht einen.',
  member_exists: 'Ändern Sie die Rolle des Mitglieds, um ihm eine andere zu geben.',
  invitation_pending: 'Senden Sie die Einladung erneut, oder brechen Sie sie zuerst ab.',
  invitations_too_many:
    'Brechen Sie Einladungen ab, die nicht mehr gebraucht werden: Ein Konto kann höchstens 100 gleichzeitig haben.',
  session_required: 'Melden Sie sich im Portal an. Die Sitzung ist abgelaufen, oder es gab keine.',
  credentials_invalid:
    'Prüfen Sie E-Mail-Adresse und Passwort, oder setzen Sie das Passwort über den Link auf der Anmeldeseite zurück.',
  second_factor_invalid:
    'Geben Sie den Code ein, den Ihre Authenticator-App jetzt zeigt, oder einen unbenutzten Wiederherstellungscode. Jeder Code gilt einmal.',
  portal_network_not_allowed:
    'Nutzen Sie ein Netz, das das Konto erlaubt, oder lassen Sie einen Inhaber, einen Administrator oder den Betreiber Ihre Adresse hinzufügen.',
  own_address_excluded:
    'Nehmen Sie die Adresse, die Sie gerade nutzen, in die Liste auf, oder speichern Sie von einer Adresse aus, die darin steht.',
  second_factor_required:
    'Fügen Sie unter Einstellungen > Mein Profil eine Authenticator-App oder einen Passkey hinzu, und versuchen Sie es dann noch einmal.',
  step_up_required:
    'Bestätigen Sie sie mit einer der Methoden, die methods nennt, und versuchen Sie es noch einmal. Die Bestätigung gilt 10 Minuten.',
  cross_site_request:
    'Benutzen Sie das Portal unter seiner eigenen Adresse. Anfragen mit Sitzung müssen von dort kommen und, wenn sie etwas ändern, den Header Countersign-CSRF: 1 tragen.',
  too_many_attempts:
    'Versuchen Sie es nach Retry-After Sekunden noch einmal. Bestehende Sitzungen sind nicht betroffen.',
  link_invalid: 'Fordern Sie einen neuen Link an. Jeder Link gilt einmal und für begrenzte Zeit.',
  password_too_weak:
    'Wählen Sie 12 bis 128 Zeichen, die weder ein bekanntes Passwort noch Ihr Name, Ihre E-Mail-Adresse oder der Name dieses Dienstes sind.',
  password_breached:
    'Dieses Passwort steht in einer Liste bekannt gewordener Passwörter, die Angreifer zuerst probieren. Wählen Sie eines, das Sie nie verwendet haben, etwa vier Wörter ohne Zusammenhang, und ändern Sie es auch überall sonst.',
  idempotency_key_malformed:
    'Senden Sie Idempotency-Key höchstens einmal, mit 1 bis 128 Buchstaben, Ziffern oder Zeichen aus „-._~:+/=“, mit oder ohne Anführungszeichen.',
  idempotency_key_in_use:
    'Warten Sie eine Sekunde, und wiederholen Sie die Anfrage, um die Antwort auf die erste zu erhalten.',
  idempotency_key_reused:
    'Verwenden Sie für jede neue Anfrage einen neuen Idempotency-Key, und denselben nur, um dieselbe Anfrage zu wiederholen.',
  path_ambiguous:
    'Senden Sie den Pfad in einfacher Form: ohne kodierte oder doppelte Schrägstriche, Punktsegmente, Backslashes oder Semikolons, und in der Groß- und Kleinschreibung, die die API dokumentiert.',
  body_unseen:
    'Senden Sie die Anfrage ohne Body, oder lassen Sie den Betreiber dieses Dienstes den Proxy so einrichten, dass er Bodys weitergibt.',
  upgrade_refused:
    'Senden Sie die Anfrage ohne den Header Upgrade: Dieser Pfad wechselt nicht zu einem anderen Protokoll.',
  upstream_unavailable:
    'Signieren Sie die Anfrage neu und senden Sie sie später noch einmal. Sie hat die API nicht erreicht, also wurde nichts ausgeführt.',
  upstream_failed:
    'Die Anfrage hat die API erreicht, aber die Antwort ging verloren. Stellen Sie fest, ob sie ausgeführt wurde, bevor Sie sie wiederholen.',
  upstream_busy:
    'Es wurde nichts ausgeführt. Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  upstream_timeout:
    'Die Anfrage hat die API erreicht und läuft vielleicht noch. Stellen Sie fest, ob sie ausgeführt wurde, bevor Sie sie wiederholen.',
  guard_unavailable:
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  guard_full:
    'Senden Sie weniger Anfragen. Signieren Sie diese neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  recently_restarted:
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal. Signaturen aus der Zeit vor dem Neustart werden abgelehnt.',
  registry_stale: 'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  storage_unavailable:
    'Signieren Sie die Anfrage neu und senden Sie sie nach Retry-After Sekunden noch einmal.',
  outcome_unknown:
    'Signieren Sie die Anfrage neu und wiederholen Sie sie mit demselben Idempotency-Key oder If-Match. Ohne beides lesen Sie zuerst die Ressource, um zu sehen, ob die Änderung ausgeführt wurde.',
  shutting_down: 'Signieren Sie die Anfrage neu und wiederholen Sie sie über eine neue Verbindung.',
  request_timeout:
    'Senden Sie die Header innerhalb von 10 Sekunden und die ganze Anfrage innerhalb von 30 Sekunden.',
  internal_error:
    'Wenden Sie sich an den Betreiber dieses Dienstes, und nennen Sie ihm die requestId dieser Antwort.',
};
