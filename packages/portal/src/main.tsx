import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './theme/fonts.css';
import './theme/portal.css';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/queries.ts';
import { App } from './app.tsx';
import { createRegion } from './components/announce.ts';
import { guardHistory } from './components/unsaved-guard.ts';

const root = document.getElementById('portal');
if (root === null) throw new Error('index.html has no element #portal.');
// The Content-Security-Policy allows run-time styles only with this nonce. The scroll lock of dialogs asks get-nonce for it.
const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
setNonce(styleNonce);
guardHistory();
createRegion();
createRoot(root).render(
  <StrictMode>
    <App queryClient={createQueryClient()} styleNonce={styleNonce} />
  </StrictMode>,
);
