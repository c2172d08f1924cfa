// Asks Countersign about a request with its body, and forwards it only if the answer is 200.

const identity = {
  countersign_client_id: 'Countersign-Client-Id',
  countersign_account: 'Countersign-Account',
  countersign_roles: 'Countersign-Roles',
  countersign_key: 'Countersign-Key',
  countersign_request_id: 'Countersign-Request-Id',
  // Of clients with other profiles, and on routes that identify.
  countersign_profile: 'Countersign-Profile',
  countersign_covered: 'Countersign-Covered',
  countersign_unproved: 'Countersign-Unproved',
  countersign_claimed: 'Countersign-Claimed',
};

// What the client is told with a refusal.
const told = [
  'Content-Type',
  'Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
  'WWW-Authenticate',
  'Accept-Signature',
  'Allow',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Client-Key-Retire-At',
];

async function decide(r) {
  // The subrequest has the body of the request.
  const answer = await r.subrequest('/countersign', { method: 'POST' });
  if (answer.status === 200) {
    Object.keys(identity).forEach((variable) => {
      r.variables[variable] = answer.headersOut[identity[variable]] || '';
    });
    r.internalRedirect('@api');
  } else if (answer.headersOut['Content-Type'] === 'application/problem+json') {
    told.forEach((name) => {
      if (answer.headersOut[name]) r.headersOut[name] = answer.headersOut[name];
    });
    r.return(answer.status, answer.responseText);
  } else {
    r.return(503);
  }
}

export default { decide };
