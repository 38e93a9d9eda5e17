import { refusedEntry } from '../../../domain/workspace/archive-path.js';
import type { ArchiveLink, ArchiveTarget } from '../../archive/extract.js';
import { FolderTarget } from '../../archive/folder-target.js';

/**
 * Where the top folders of an archive go, each into an empty folder of its own: links are judged within it, so none of one leads into the
 * other. Whatever lies outside of them is refused.
 */
export class ArchivePlaces implements ArchiveTarget {
  private readonly places: ReadonlyMap<string, FolderTarget>;

  constructor(folders: Readonly<Record<string, string>>) {
    this.places = new Map(Object.entries(folders).map(([top, folder]) => [top, new FolderTarget(folder)]));
  }

  folder(path: string): void {
    const { place, rest } = this.placeOf(path);
    if (rest !== '') place.folder(rest);
  }

  file(path: string, content: AsyncIterable<Buffer>, executable: boolean): Promise<void> {
    const { place, rest } = this.placeOf(path);
    if (rest === '') throw refusedEntry(path, 'is no folder');
    return place.file(rest, content, executable);
  }

  async links(all: readonly ArchiveLink[]): Promise<number> {
    const links = all.map(({ path, target }) => ({ ...this.placeOf(path), path, target }));
    let made = 0;
    for (const place of this.places.values()) {
      const own = links.filter((link) => link.place === place);
      const outside = own.find(({ rest }) => rest === '');
      if (outside !== undefined) throw refusedEntry(outside.path, 'is no folder');
      made += await place.links(own.map(({ rest, target }) => ({ path: rest, target })));
    }
    return made;
  }

  private placeOf(path: string): { place: FolderTarget; rest: string } {
    const [top = '', ...parts] = path.split('/');
    const place = this.places.get(top);
    if (place === undefined) throw refusedEntry(path, 'belongs to no part of a workspace');
    return { place, rest: parts.join('/') };
  }
}
