import type { TextBlock } from './text-block.js';

/** So many heights of a line may lie between a label and what stands below it. */
const NEAR_BELOW = 2.6;
/** Lines of a page that are looked at, up and down. */
const MOST_LOOKED_AT = 60;

/** What stands beside and below a block on its page. */
export class PageNeighbours {
  private readonly byPage = new Map<number, TextBlock[]>();
  private readonly places = new Map<TextBlock, number>();

  constructor(blocks: readonly TextBlock[]) {
    for (const block of blocks) {
      const page = this.byPage.get(block.pageNumber);
      if (page === undefined) this.byPage.set(block.pageNumber, [block]);
      else page.push(block);
    }
    for (const page of this.byPage.values()) {
      page.sort((one, other) => one.box[1] - other.box[1] || one.box[0] - other.box[0]);
      for (const [at, block] of page.entries()) this.places.set(block, at);
    }
  }

  /** Blocks on the same height to the right, the nearest first. */
  rightOf(block: TextBlock): TextBlock[] {
    const end = block.box[0] + block.box[2];
    return this.around(block)
      .filter((other) => other.box[0] >= end - 0.005 && overlapY(block, other) >= 0.5)
      .sort((one, other) => one.box[0] - other.box[0]);
  }

  /** Blocks on the same height to the left, the nearest first. */
  leftOf(block: TextBlock): TextBlock[] {
    return this.around(block)
      .filter((other) => other.box[0] + other.box[2] <= block.box[0] + 0.005 && overlapY(block, other) >= 0.5)
      .sort((one, other) => other.box[0] - one.box[0]);
  }

  /** Blocks under it or a part of it, the nearest first, with the distance in heights of a line. */
  below(block: TextBlock): { block: TextBlock; lines: number }[] {
    const bottom = block.box[1] + block.box[3];
    return this.around(block)
      .filter((other) => other.box[1] >= bottom - block.lineHeight * 0.4 && overlapX(block, other) > 0)
      .map((other) => ({
        block: other,
        lines: (other.box[1] - bottom) / Math.max(block.lineHeight, other.lineHeight, 1e-6),
      }))
      .filter(({ lines }) => lines <= NEAR_BELOW)
      .sort((one, other) => one.lines - other.lines || one.block.box[0] - other.block.box[0]);
  }

  /** Blocks over it, the nearest first. */
  above(block: TextBlock): TextBlock[] {
    return this.around(block)
      .filter(
        (other) => other.box[1] + other.box[3] <= block.box[1] + block.lineHeight * 0.4 && overlapX(block, other) > 0,
      )
      .filter((other) => (block.box[1] - other.box[1] - other.box[3]) / Math.max(block.lineHeight, 1e-6) <= NEAR_BELOW)
      .sort((one, other) => other.box[1] - one.box[1] || one.box[0] - other.box[0]);
  }

  private around(block: TextBlock): TextBlock[] {
    const page = this.byPage.get(block.pageNumber) ?? [];
    const at = this.places.get(block) ?? 0;
    return page.slice(Math.max(0, at - MOST_LOOKED_AT), at + MOST_LOOKED_AT).filter((other) => other !== block);
  }
}

/** Share of the lower of two heights that both have in common. */
function overlapY(one: TextBlock, other: TextBlock): number {
  const common = Math.min(one.box[1] + one.box[3], other.box[1] + other.box[3]) - Math.max(one.box[1], other.box[1]);
  return common / Math.max(Math.min(one.box[3], other.box[3]), 1e-6);
}

function overlapX(one: TextBlock, other: TextBlock): number {
  return Math.min(one.box[0] + one.box[2], other.box[0] + other.box[2]) - Math.max(one.box[0], other.box[0]);
}
