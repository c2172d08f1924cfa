import { type DocumentHeading, documents, type ListedDocument, type LoadedDocument } from 'virtual:documents';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactElement, type ReactNode, use, useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { ClientSelect } from '../../clients/client-select.tsx';
import { AppLink } from '../../components/app-link.tsx';
import { Page } from '../../components/page.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { DocumentBody } from '../../documents/document-body.tsx';
import { documentPath } from '../../documents/document-path.ts';
import { documentIn, languageOf } from '../../documents/language-documents.ts';
import { LanguageField } from '../../documents/language-field.tsx';
import { isPlainClientId } from '../../documents/document-values.ts';
import { searchWords } from '../../documents/document-search.ts';
import { SearchField } from '../../lists/search-field.tsx';
import { documentation as t } from '#messages/documentation.ts';
import { chooseProgrammingLanguage } from '../../session/programming-language.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import classes from './documents.module.css';

/** One document, with its contents and links to the previous and next one. */
export default function DocumentPage(): ReactElement {
  const slug = useParams()['*'] ?? '';
  const entry = documents.find((each) => each.slug === slug);
  if (entry === undefined) {
    return (
      <Page title={t.notFoundTitle} description={t.notFoundText}>
        <div>
          <AppLink to={documentPath('')}>{t.title}</AppLink>
        </div>
      </Page>
    );
  }
  return <Loaded key={slug} entry={entry} document={use(load(entry))} />;
}

const loads = new Map<string, Promise<LoadedDocument>>();

function load({ slug, load: loadDocument }: ListedDocument): Promise<LoadedDocument> {
  const known = loads.get(slug);
  if (known) return known;
  const loading = loadDocument().then((module) => module.default);
  // The next visit retries a part that could not be loaded.
  loading.catch(() => loads.delete(slug));
  loads.set(slug, loading);
  return loading;
}

interface LoadedProps {
  readonly entry: ListedDocument;
  readonly document: LoadedDocument;
}

/** The client in the examples, by account: it stays while the person reads on. */
const chosenClients = new Map<string, string | undefined>();

function Loaded({ entry, document }: LoadedProps): ReactElement {
  const { html, headings } = document;
  const { features, account } = useSession();
  const accountId = account?.accountId ?? '';
  const [query] = useParameters();
  const [clientId, setClientId] = useState(() => namedClient(query) ?? chosenClients.get(accountId));
  const [hits, setHits] = useState(0);
  const search = query.get('search') ?? '';
  const [, navigate] = useLocation();
  const words = searchWords(search);
  const about = languageOf(entry);
  const mayChoose = usePermission('clients:read') && html.includes('data-fill="clientId');
  return (
    <Page title={entry.title} back={{ to: documentPath(''), label: t.title }}>
      <div className={classes['columns']}>
        <div className={classes['main']}>
          <div className={classes['tools']}>
            <SearchField
              label={t.searchPage}
              placeholder={t.searchPagePlaceholder}
              value={search}
              onSearch={(text) => navigate(documentPath(entry.slug, { search: text }), { replace: true })}
              className={classes['tool']}
            />
            {about && (
              <LanguageField
                value={about.language}
                onChange={(language) => {
                  chooseProgrammingLanguage(language);
                  navigate(documentPath(documentIn(about.family, language)?.slug ?? entry.slug));
                }}
                className={classes['language']}
              />
            )}
            {mayChoose && (
              <ClientSelect
                label={t.client}
                placeholder={t.clientPlaceholder}
                nothingFound={t.clientNothingFound}
                value={clientId}
                onChange={(next) => {
                  chosenClients.set(accountId, next);
                  setClientId(next);
                }}
                className={classes['tool']}
              />
            )}
          </div>
          {words.length > 0 && (
            <p className={classes['hits']}>
              <span role="status">{t.hits(hits)}</span>{' '}
              <AppLink to={documentPath('', { search })} underline="always">
                {t.searchAll}
              </AppLink>
            </p>
          )}
          <DocumentBody
            html={html}
            values={{ baseUrl: features.baseUrl, clientId }}
            words={words}
            onHits={setHits}
          />
          <Neighbours entry={entry} />
        </div>
        <Contents entry={entry} headings={headings} />
      </div>
    </Page>
  );
}

/** The client that a link of the portal names. Anyone can write a link, so an unusual ID is ignored. */
function namedClient(query: URLSearchParams): string | undefined {
  const clientId = query.get('client');
  return clientId !== null && isPlainClientId(clientId) ? clientId : undefined;
}

function Contents({
  entry,
  headings,
}: {
  readonly entry: ListedDocument;
  readonly headings: readonly DocumentHeading[];
}): ReactElement {
  const isBeside = useMediaQuery('(min-width: 80em)', undefined, { getInitialValueInEffect: false });
  const siblings = documents.filter(({ group }) => group === entry.group);
  const lists = (
    <>
      {headings.length > 1 && (
        <nav aria-label={t.onThisPage}>
          <p className={classes['label']}>{t.onThisPage}</p>
          <ul lang="en">
            {headings.map(({ anchor, text, level }) => (
              <li key={anchor} data-level={level}>
                <a href={`#${anchor}`}>{text}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <nav aria-label={t.groups[entry.group].title}>
        <p className={classes['label']}>{t.groups[entry.group].title}</p>
        <ul lang="en">
          {siblings.map(({ slug, title }) => (
            <li key={slug}>
              <Link href={documentPath(slug)} aria-current={slug === entry.slug ? 'page' : undefined}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
  if (isBeside) return <div className={classes['contents']}>{lists}</div>;
  return (
    <details className={classes['folded']}>
      <summary>{t.contents}</summary>
      {lists}
    </details>
  );
}

function Neighbours({ entry }: { readonly entry: ListedDocument }): ReactElement {
  const index = documents.indexOf(entry);
  return (
    <nav aria-label={t.around} className={classes['neighbours']}>
      <Neighbour entry={documents[index - 1]}>{t.previous}</Neighbour>
      <Neighbour entry={documents[index + 1]}>{t.next}</Neighbour>
    </nav>
  );
}

function Neighbour(props: {
  readonly entry: ListedDocument | undefined;
  readonly children: ReactNode;
}): ReactElement {
  if (props.entry === undefined) return <span />;
  return (
    <Link href={documentPath(props.entry.slug)}>
      <small>{props.children}</small>
      <span lang="en">{props.entry.title}</span>
    </Link>
  );
}
