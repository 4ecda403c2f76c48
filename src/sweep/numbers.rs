//! What MySQL's tables don't tell of its options is found out by giving the server numbers and reading
//! what it makes of them; `catalog` says which numbers and what the answers mean.

use super::SweepError;
use crate::catalog::{Asked, Blocks, Catalog, Choices};
use crate::engine::{Engine, Inquiry, Question};

/// What MySQL's tables don't tell: the words of enumerations and sets, block sizes. The server is
/// given values and says what it makes of them. What can't be found out stays open.
pub(super) async fn complete<E: Engine>(
    engine: &E,
    catalog: &mut Catalog,
) -> Result<(), SweepError> {
    let mut choices = Choices::of(catalog);
    loop {
        let asked = choices.ask();
        if asked.is_empty() {
            break;
        }
        let Some(answers) = came_out(engine, &asked).await? else { return Ok(()) };
        choices.told(&asked, &answers);
    }
    choices.note(catalog);
    let mut blocks = Blocks::of(catalog);
    /// Options that are left out one by one because the server refuses them.
    const REFUSED: usize = 8;
    for _ in 0..REFUSED {
        let inquiries: Vec<Inquiry> = blocks.ask().iter().map(|file| values_of(file)).collect();
        let Some(answers) = engine.ask(&inquiries).await? else { return Ok(()) };
        let Some(refused) = answers.iter().find_map(|answer| answer.refused.as_deref()) else {
            let answers: Vec<_> = answers.into_iter().map(|answer| answer.values).collect();
            blocks.note(&answers, catalog);
            break;
        };
        let refused = refused.replace('-', "_");
        let quoted = |name: &&String| refused.contains(&format!("'{name}'"));
        match catalog.options.keys().find(quoted) {
            Some(name) => blocks.without(name),
            None => break,
        }
    }
    Ok(())
}

/// What comes out for each number, none where the server refuses it. Lines that the server will
/// hardly refuse share a file; those of a file that it does refuse are asked one by one.
async fn came_out<E: Engine>(
    engine: &E,
    asked: &[Asked],
) -> Result<Option<Vec<Option<String>>>, SweepError> {
    let mut files: Vec<Vec<usize>> = Vec::new();
    for (i, one) in asked.iter().enumerate() {
        let fits = |file: &&mut Vec<usize>| {
            file.len() < one.together
                && file
                    .iter()
                    .all(|j| asked[*j].together == one.together && asked[*j].option != one.option)
        };
        match files.iter_mut().find(fits) {
            Some(file) => file.push(i),
            None => files.push(vec![i]),
        }
    }
    let mut found = vec![None; asked.len()];
    while !files.is_empty() {
        let numbers = |file: &Vec<usize>| -> Vec<(&str, u64)> {
            file.iter().map(|i| (asked[*i].option.as_str(), asked[*i].number)).collect()
        };
        let inquiries: Vec<Inquiry> = files.iter().map(|f| values_of(&numbers(f))).collect();
        let Some(answers) = engine.ask(&inquiries).await? else { return Ok(None) };
        let mut again = Vec::new();
        for (file, mut answer) in files.into_iter().zip(answers) {
            match answer.refused {
                Some(_) if file.len() > 1 => again.extend(file.into_iter().map(|i| vec![i])),
                Some(_) => {}
                None => {
                    for i in file {
                        found[i] = answer.values.remove(&asked[i].option);
                    }
                }
            }
        }
        files = again;
    }
    Ok(Some(found))
}

/// What comes out for options that are given these numbers.
fn values_of(numbers: &[(&str, u64)]) -> Inquiry {
    let lines = numbers.iter().map(|(name, number)| format!("{name}={number}\n"));
    Inquiry {
        cnf: format!("[mysqld]\n{}", lines.collect::<String>()).into_bytes(),
        question: Question::Values(numbers.iter().map(|(name, _)| (*name).to_owned()).collect()),
    }
}
