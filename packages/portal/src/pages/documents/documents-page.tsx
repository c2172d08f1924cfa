import { documents, type ListedDocument, loadSections } from 'virtual:documents';
import { Activity, BookOpen, KeyRound, type LucideIcon, Send, Tag, Users } from 'lucide-react';
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
import { languageOf } from '../../documents/language-documents.ts';
import { LanguageField } from '../../documents/language-field.tsx';
import {
  chooseProgrammingLanguage,
  type ProgrammingLanguage,
  useProgrammingLanguage,
} from '../../session/programming-language.ts';
import classes from './documents.module.css';

/** Lists all documents, or the results of a search. */
export default function DocumentsPage(): ReactElement {
  const search = useParameters()[0].get('search') ?? '';
  const [, navigate] = useLocation();
  const words = searchWords(search);
  const language = useProgrammingLanguage();
  return (
    <Page title={t.title} description={t.description} hasFirstField>
      <div className={classes['tools']}>
        <SearchField
          label={t.search}
          placeholder={t.searchPlaceholder}
          value={search}
          onSearch={(text) => navigate(documentPath('', { search: text }), { replace: true })}
          className={classes['search']}
          isFirst
        />
        {words.length === 0 && (
          <LanguageField
            value={language}
            onChange={chooseProgrammingLanguage}
            className={classes['language']}
          />
        )}
      </div>
      {words.length === 0 ? (
        <Cards language={language} />
      ) : (
        <Suspense fallback={<LoadingLines count={6} />}>
          <Results search={search} words={words} />
        </Suspense>
      )}
    </Page>
  );
}

/** How many documents a card shows; the others unfold. */
const shownMax = 5;

/** A card for each group: the documents that are about the reader's language or about none come first. */
function Cards({ language }: { readonly language: ProgrammingLanguage }): ReactElement {
  const groups = Map.groupBy(documents, ({ group }) => group);
  return (
    <div className={classes['cards']}>
      {[...groups].map(([group, entries]) => (
        <Card key={group} group={group} entries={entries} language={language} />
      ))}
    </div>
  );
}

interface CardProps {
  readonly group: DocumentGroup;
  readonly entries: readonly ListedDocument[];
  readonly language: ProgrammingLanguage;
}

function Card({ group, entries, language }: CardProps): ReactElement {
  const { title, text } = t.groups[group];
  const Icon = icons[group];
  const isWanted = (entry: ListedDocument): boolean => {
    const about = languageOf(entry);
    return about === undefined || about.language === language;
  };
  const own = entries.filter(isWanted).toSorted((one, other) => rankOf(one) - rankOf(other));
  const wanted = [...own, ...alsoFrom(group, language)].slice(0, shownMax);
  const rest = entries.filter((entry) => !wanted.includes(entry));
  return (
    <section className={classes['card']}>
      <h2>
        <Icon size={18} aria-hidden />
        {title}
      </h2>
      <p>{text}</p>
      <Links entries={wanted} />
      {rest.length > 0 && (
        <details>
          <summary aria-label={`${title}: ${t.more(rest.length)}`}>{t.more(rest.length)}</summary>
          <Links entries={rest} />
        </details>
      )}
    </section>
  );
}

/** What readers of a small group look for next, in other groups. */
const also: Readonly<Partial<Record<DocumentGroup, readonly string[]>>> = {
  'Get started': ['packages/*', 'errors', 'portal'],
  'Fix a rejected request': ['profile'],
  'Manage clients and keys': ['packages/command-line'],
};

function alsoFrom(group: DocumentGroup, language: ProgrammingLanguage): readonly ListedDocument[] {
  const slugs = (also[group] ?? []).map((slug) => slug.replace('*', language));
  return slugs.flatMap((slug) => documents.filter((entry) => entry.slug === slug));
}

/** The reader's language first. */
function rankOf(entry: ListedDocument): number {
  return languageOf(entry) === undefined ? 1 : 0;
}

/** Documents are written in English. */
function Links({ entries }: { readonly entries: readonly ListedDocument[] }): ReactElement {
  return (
    <ul lang="en">
      {entries.map(({ slug, title }) => (
        <li key={slug}>
          <Link href={documentPath(slug)}>{title}</Link>
        </li>
      ))}
    </ul>
  );
}

const icons: Readonly<Record<DocumentGroup, LucideIcon>> = {
  'Get started': Send,
  'Sign requests': KeyRound,
  'Fix a rejected request': Activity,
  'Manage clients and keys': Users,
  'API reference': BookOpen,
  Packages: Tag,
};

type DocumentGroup = ListedDocument['group'];

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
