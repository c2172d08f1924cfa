# Runs the function of the page on each line of a file: secret, ID, time, signature, body in Base64, now.
. ./webhooks.sh
# None of the separators is white space, so that empty texts stay.
while IFS='|' read -r secret id timestamp signature body now; do
  printf %s "$body" | openssl base64 -d -A > body
  if is_from_service "$secret" "$id" "$timestamp" "$signature" body "$now"; then echo accept; else echo reject; fi
done < cases
