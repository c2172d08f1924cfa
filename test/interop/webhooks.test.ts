import { npmPeers } from '../../packages/signature/test/messages/interop-peers.ts';
import { standardWebhooks } from './webhook-peers.ts';
import { testWebhooks } from './webhook-tests.ts';

const peers = npmPeers.filter(({ profiles }) => profiles === undefined);
testWebhooks('npm', { peers, standardPeer: standardWebhooks });
