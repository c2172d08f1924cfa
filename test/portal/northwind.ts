import type { Browser, Page } from 'playwright-core';
import { openBrowser, visit, type Visitor } from './browser.ts';
import type { PortalSession } from './portal-session.ts';
import { addCustomer, type PortalService, setUpOperator, startPortalService } from './scene.ts';
import { signIn } from './showing.ts';

/** The account Northwind on a service of its own, and Ada, who owns it and is signed in to the portal. */
export interface Northwind {
  readonly service: PortalService;
  /** Ada's session without a browser, to prepare what a test needs. */
  readonly owner: PortalSession;
  readonly browser: Browser;
  readonly ada: Visitor;
  /** Ada's. */
  readonly page: Page;
}

/** Starts it. Close the browser and the service in `after`. */
export async function openNorthwind(settings: Readonly<Record<string, string>> = {}): Promise<Northwind> {
  const service = await startPortalService(settings);
  let browser: Browser | undefined;
  try {
    const person = { name: 'Ada Lindqvist', email: 'ada@northwind.example' };
    const owner = await addCustomer(service, await setUpOperator(service), 'Northwind', person);
    browser = await openBrowser();
    const ada = await visit(browser, service.origin);
    await signIn(ada, person.email);
    return { service, owner, browser, ada, page: ada.page };
  } catch (error) {
    await browser?.close();
    await service.close();
    throw error;
  }
}
