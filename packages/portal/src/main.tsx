import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './theme/portal.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { createRegion } from './components/announce.ts';
import { guardHistory } from './components/unsaved-guard.ts';
import { readStyleNonce } from './theme/nonce.ts';

const root = document.getElementById('portal');
if (root === null) throw new Error('The page has no place for the portal.');
const styleNonce = readStyleNonce();
guardHistory();
createRegion();
createRoot(root).render(
  <StrictMode>
    <App queryClient={createQueryClient()} styleNonce={styleNonce} />
  </StrictMode>,
);
