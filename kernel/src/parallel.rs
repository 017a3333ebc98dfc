//! Threads that live inside one call. No pool is kept, so a process may fork at any time.

/// Cuts `items` into at most `parts` slices of about equal weight.
pub(crate) fn shares<T>(items: &[T], weight: impl Fn(&T) -> usize, parts: usize) -> Vec<&[T]> {
    let total: usize = items.iter().map(&weight).sum();
    let mut shares = Vec::new();
    let mut rest = items;
    let mut left = total;
    for part in (1..=parts.max(1)).rev() {
        if rest.is_empty() {
            break;
        }
        let goal = left / part;
        let mut size = 0;
        let mut count = 0;
        while count < rest.len() && (part == 1 || size < goal.max(1)) {
            size += weight(&rest[count]);
            count += 1;
        }
        left -= size;
        let (share, others) = rest.split_at(count);
        shares.push(share);
        rest = others;
    }
    shares
}

/// Each share with its room in `out`, where every item has `width` places.
pub(crate) fn with_room<'a, 'b, T, R>(
    shares: Vec<&'a [T]>,
    mut out: &'b mut [R],
    width: usize,
) -> Vec<(&'a [T], &'b mut [R])> {
    let mut rooms = Vec::with_capacity(shares.len());
    for share in shares {
        let (room, others) = out.split_at_mut(share.len() * width);
        rooms.push((share, room));
        out = others;
    }
    rooms
}

/// Runs `work` over each share, the first on this thread, and returns the results in order.
pub(crate) fn each<S: Send, R: Send>(shares: Vec<S>, work: impl Fn(S) -> R + Sync) -> Vec<R> {
    let mut shares = shares.into_iter();
    let Some(first) = shares.next() else {
        return Vec::new();
    };
    let work = &work;
    std::thread::scope(|scope| {
        let others: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
        let mut results = vec![work(first)];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_everything_once_and_weigh_about_the_same() {
        let items: Vec<usize> = (1..100).collect();
        for parts in 1..8 {
            let shares = shares(&items, |&weight| weight, parts);
            assert_eq!(shares.concat(), items);
            assert_eq!(shares.len(), parts);
            let heaviest = shares.iter().map(|share| share.iter().sum::<usize>()).max();
            assert!(heaviest <= Some(4950 / parts + 100));
        }
        assert!(shares(&items[..0], |_| 1, 3).is_empty());
    }

    #[test]
    fn results_come_in_the_order_of_the_shares() {
        assert_eq!(each(vec![1, 2, 3], |share| share * 10), [10, 20, 30]);
        assert!(each(Vec::<i32>::new(), |share| share).is_empty());
    }
}
