-- Tables with wide rows merge column by column however small the parts are: a merge of 100 small parts of books took 145 MB,
-- so it takes 45. (The engine does so by itself only from 131,072 rows.)

ALTER TABLE {db}.book_snapshots{local} {cluster} MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 1;
ALTER TABLE {db}.latest_books{local} {cluster} MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 1;
ALTER TABLE {db}.markets{local} {cluster} MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 1;
ALTER TABLE {db}.market_history{local} {cluster} MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 1;
