/** The list of documents, made from the repository's files when the portal is built. */
declare module 'virtual:documents' {
  export interface DocumentHeading {
    readonly anchor: string;
    readonly text: string;
    /** 2 or 3. */
    readonly level: number;
  }

  export interface LoadedDocument {
    /** The HTML below the title. */
    readonly html: string;
    readonly headings: readonly DocumentHeading[];
  }

  export interface ListedDocument {
    /** Its path below `/docs/`. */
    readonly slug: string;
    readonly title: string;
    // An ambient module cannot import a relative one.
    // oxlint-disable-next-line typescript/consistent-type-imports
    readonly group: import('../../documents/guides.ts').DocumentGroup;
    readonly load: () => Promise<{ readonly default: LoadedDocument }>;
  }

  /** A part of a document, from one heading to the next. */
  export interface DocumentSection {
    readonly slug: string;
    /** Empty above the first heading. */
    readonly anchor: string;
    readonly heading: string;
    readonly text: string;
  }

  export const documents: readonly ListedDocument[];
  export const loadSections: () => Promise<{ readonly default: readonly DocumentSection[] }>;
}
