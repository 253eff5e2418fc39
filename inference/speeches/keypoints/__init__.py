"""Key points: what judges say of speeches, in a few sentences that stand for many."""
