import { missingFor, programPeer, programStandardPeer } from './program-peers.ts';
import { testProgram } from './program-tests.ts';
import { testWebhooks } from './webhook-tests.ts';

testProgram('python');
testWebhooks(
  'Python',
  { peers: [programPeer('python')], standardPeer: programStandardPeer('python')! },
  missingFor('python'),
);
