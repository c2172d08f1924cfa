import { documents, loadSections } from 'virtual:documents';
import { type ReactElement, Suspense, use } from 'react';
import { Link, useLocation } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { LoadingLines } from '../../components/query-state.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { type Piece, searchSections, searchWords } from '../../documents/document-search.ts';
import { SearchField } from '../../lists/search-field.tsx';
import { documentation as t } from '#messages/documentation.ts';
import { documentPath } from '../../documents/document-path.ts';
import classes from './documents.module.css';

/** Lists all documents, or the results of a search. */
export default function DocumentsPage(): ReactElement {
  const search = useParameters()[0].get('search') ?? '';
  const [, navigate] = useLocation();
  const words = searchWords(search);
  return (
    <Page title={t.title} description={t.description}>
      <SearchField
        label={t.search}
        placeholder={t.searchPlaceholder}
        value={search}
        onSearch={(text) => navigate(documentPath('', { search: text }), { replace: true })}
        className={classes['search']}
      />
      {words.length === 0 ? (
        <DocumentList />
      ) : (
        <Suspense fallback={<LoadingLines count={6} />}>
          <Results search={search} words={words} />
        </Suspense>
      )}
    </Page>
  );
}

function DocumentList(): ReactElement {
  const groups = Map.groupBy(documents, ({ group }) => group);
  return (
    // Documents are written in English.
    <div lang="en" className={classes['groups']}>
      {[...groups].map(([group, entries]) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {entries.map(({ slug, title }) => (
              <li key={slug}>
                <Link href={documentPath(slug)}>{title}</Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const resultsMax = 40;
let sections: ReturnType<typeof loadSections> | undefined;

function Results({
  search,
  words,
}: {
  readonly search: string;
  readonly words: readonly string[];
}): ReactElement {
  const { default: all } = use((sections ??= loadSections()));
  const found = searchSections(all, words, resultsMax);
  const titles = new Map(documents.map(({ slug, title }) => [slug, title]));
  if (found.length === 0) return <EmptyState title={t.results(0)}>{t.noResultsText}</EmptyState>;
  return (
    <section aria-labelledby="document-results">
      <h2 id="document-results" className={classes['count']}>
        <span role="status">
          {found.length === resultsMax ? t.resultsMax(resultsMax) : t.results(found.length)}
        </span>
      </h2>
      <ol lang="en" className={classes['results']}>
        {found.map(({ section: { slug, anchor }, heading, excerpt }) => (
          <li key={`${slug}#${anchor}`}>
            <Link href={documentPath(slug, { search, anchor })} className={classes['result'] ?? ''}>
              <Marked pieces={heading} />
            </Link>
            <p className={classes['place']}>{titles.get(slug)}</p>
            <p>
              <Marked pieces={excerpt} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Marked({ pieces }: { readonly pieces: readonly Piece[] }): ReactElement {
  return (
    <>
      {pieces.map(({ text, isHit }, index) => {
        // Pieces have no identity except their position.
        return isHit ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>;
      })}
    </>
  );
}
