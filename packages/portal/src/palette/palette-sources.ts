import { isId, requestSearchMax } from '@countersign/contract';
import { api } from '../api/api.ts';
import { isApiError } from '../api/api-error.ts';
import { clientPath } from '../clients/client-path.ts';
import { exactTime } from '../components/time-words.ts';
import { documentPath } from '../documents/document-path.ts';
import { searchSections, searchWords } from '../documents/document-search.ts';
import { outcomeTitle } from '../explanation/outcome-badge.tsx';
import { palette as t } from '#messages/palette.ts';
import { requestsPath } from '../requests/request-filters.ts';
import { shownLinks } from '../routes.tsx';
import { webhookPath } from '../webhooks/webhook-path.ts';
import type { PaletteEntry, PaletteSource } from './palette-source.ts';

const shownMax = 6;

const pages: PaletteSource = {
  id: 'pages',
  heading: t.pages,
  isFor: () => true,
  search: async (text, { account }) => {
    const words = plain(text);
    return shownLinks(account)
      .filter(({ title, group }) => plain(`${group ?? ''} ${title}`).includes(words))
      .map(({ path, title }) => ({ path, title }));
  },
};

const clients: PaletteSource = {
  id: 'clients',
  heading: t.clients,
  isFor: ({ permissions }) => permissions.includes('clients:read'),
  search: async (text, { signal }) => {
    const { data } = await api.call('listClients', { query: { search: text, limit: shownMax }, signal });
    return data.map(({ clientId, name }) => ({ path: clientPath(clientId), title: name, detail: clientId }));
  },
};

const webhooks: PaletteSource = {
  id: 'webhooks',
  heading: t.webhooks,
  isFor: ({ permissions }) => permissions.includes('webhooks:read'),
  search: async (text, { signal }) => {
    const { data } = await api.call('listWebhooks', { query: { limit: 100 }, signal });
    const words = plain(text);
    return data
      .filter(({ url, description, webhookId }) =>
        [plain(url), plain(description), webhookId].some((one) => one.includes(words)),
      )
      .slice(0, shownMax)
      .map(({ webhookId, url, description }) => ({
        path: webhookPath(webhookId),
        title: description === '' ? url : description,
        detail: description === '' ? undefined : url,
      }));
  },
};

const requests: PaletteSource = {
  id: 'requests',
  heading: t.requests,
  isFor: ({ permissions }) => permissions.includes('requests:read'),
  search: async (text, { signal }) => {
    const found = isId('request', text) ? await requestEntry(text, signal) : undefined;
    const inList: PaletteEntry = {
      path: requestsPath({ search: text, period: '30d' }),
      title: t.inRequests(text),
    };
    return found === undefined ? [inList] : [found];
  },
};

async function requestEntry(requestId: string, signal: AbortSignal): Promise<PaletteEntry | undefined> {
  try {
    const { method, url, outcome, receivedAt } = await api.call('getRequest', {
      path: { requestId },
      signal,
    });
    return {
      path: requestsPath({}, requestId),
      title: `${method} ${url}`,
      detail: `${outcomeTitle(outcome)}, ${exactTime(receivedAt)}`,
    };
  } catch (error) {
    if (isApiError(error, 'not_found')) return undefined;
    throw error;
  }
}

const documents: PaletteSource = {
  id: 'documents',
  heading: t.documents,
  isFor: () => true,
  search: async (text) => {
    const { loadSections, documents: listed } = await import('virtual:documents');
    const titles = new Map(listed.map(({ slug, title }) => [slug, title]));
    const { default: sections } = await loadSections();
    return searchSections(sections, searchWords(text), shownMax).map(
      ({ section: { slug, anchor, heading } }) => ({
        path: documentPath(slug, { anchor }),
        title: heading === '' ? (titles.get(slug) ?? slug) : heading,
        detail: titles.get(slug),
      }),
    );
  },
};

/** The sources of the palette, in the order of their results. */
export const paletteSources: readonly PaletteSource[] = [pages, clients, webhooks, requests, documents];

/** Longer texts cannot be searched for. */
export const paletteTextMax: number = Math.min(requestSearchMax, 100);

function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
